"""What a report on an own service or on own logs shows."""
