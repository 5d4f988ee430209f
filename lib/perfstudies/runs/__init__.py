"""Runs: planned, measured in random order, kept with their raw logs, and read again."""
