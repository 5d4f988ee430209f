"""Re-run published studies of middleware performance on real software.

The data goes one way: ``studies`` declare experiments, ``runs`` plans them and keeps what they left, ``servers`` starts
what is measured, ``load`` sends to it, ``logs`` reads raw logs, ``stats`` analyses and ``report`` shows.
"""

__version__ = "0.1.0"
