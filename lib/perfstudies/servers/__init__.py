"""Systems under test: real servers that the lab starts, waits for, configures and stops."""
