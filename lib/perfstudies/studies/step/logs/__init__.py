"""Readers of the study's raw logs."""
