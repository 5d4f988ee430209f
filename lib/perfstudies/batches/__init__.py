"""Batches: many notebooks and parameter grids, side by side where nothing is measured, on one machine or on several."""
