"""Models of the systems that the studies measured: declarations, a compiled simulation, and exact results beside it."""
