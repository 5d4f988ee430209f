"""Somebody's own service, and logs that somebody has: measured, read and reported as the studies are."""
