"""What is sent: seeded sequences of requests, written to a file before a run."""
