"""Re-run published studies of middleware performance on real software.

The data goes one way: ``studies`` declare experiments, ``runs`` plans them and keeps what they left, ``servers`` starts
what is measured, ``load`` sends to it, ``logs`` reads raw logs, ``stats`` analyses and ``report`` shows.
"""

import sys

# What Jupyter's packages check notebooks with compiles some forty grammars of addresses as it is imported, if this
# package is there: more than a second of every command, for a kind of address that no notebook has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

__version__ = "0.1.0"
