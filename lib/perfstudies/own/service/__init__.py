"""Somebody's own SOAP service, measured as the studies' services are: declared, loaded, recorded, read."""
