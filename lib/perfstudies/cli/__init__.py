"""The one command, `perfstudies`."""
