"""Logs of others: load generators, access logs with the time taken, timing lines.

A format is a module and a line in `perfstudies.own.logs.formats.FORMATS`. Files are read by polars in bounded
memory, whatever their length. A line that is not what its format has is set aside, counted and shown, never guessed at.
"""
