"""Who sends: virtual users that call a service through zeep and write down every request."""
