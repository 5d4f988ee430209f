"""What is recorded, listed: checksums, the meaning of every column, metadata for archives."""
