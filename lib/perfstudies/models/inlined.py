"""How the pieces of the compiled event loop are compiled: all into one function.

Otherwise each call hands over all arrays of the machine and counts the references to each, which takes some fifty times
as long as what the pieces do. The arrays belong to the caller, so that nothing has to be counted.
"""

from __future__ import annotations

from numba import njit

inlined = njit(forceinline=True, _nrt=False)  # type: ignore[call-overload]
