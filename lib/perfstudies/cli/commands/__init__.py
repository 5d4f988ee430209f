"""What the command ``perfstudies`` can do, and with which options.

What a command does is imported by the command itself, so that ``--help`` and completion answer at once.
"""
