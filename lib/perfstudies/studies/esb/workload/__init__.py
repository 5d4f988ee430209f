"""What the study sends."""
