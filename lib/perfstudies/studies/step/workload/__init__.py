"""What the study sends, and the data that it asks for."""
