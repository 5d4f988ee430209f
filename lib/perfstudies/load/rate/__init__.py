"""The client for high rates: many connections, one thread, a line a request."""
