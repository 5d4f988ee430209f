"""What the notebooks of the study show."""
