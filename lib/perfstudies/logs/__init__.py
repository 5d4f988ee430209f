"""Readers of raw logs: one module a format, tidy frames out, and an error with file and line for what is broken."""
