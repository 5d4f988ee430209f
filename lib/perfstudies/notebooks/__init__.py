"""Notebooks: one executed, or many over a grid of parameters, on one machine or on several."""
