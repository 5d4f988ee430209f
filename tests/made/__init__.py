"""Recordings, servers and notebooks that tests make."""
