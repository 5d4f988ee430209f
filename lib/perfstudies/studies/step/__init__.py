"""STEP, the performance assessment of a web service framework: declared, measured, read and analysed."""
