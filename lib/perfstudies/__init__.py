"""Re-run published studies of middleware performance on real software.

The data goes one way: ``studies`` declare experiments, ``lab`` runs them on ``systems`` under
``workloads`` sent by ``load``, ``store`` keeps the raw logs, ``logs`` reads them, ``stats`` analyses
and ``report`` shows.
"""

__version__ = "0.1.0"
