"""The user of the study's sequences."""
