"""What makes the experiments and findings of the STEP study."""

from __future__ import annotations

from functools import partial

from perfstudies.experiment import Experiment, Finding

declare = partial(Experiment, study="step", system="flight")
"""Makes an experiment of the study; arguments as of `Experiment`."""

claim = partial(Finding, "step")
"""Makes a finding of the study; arguments as of `Finding`."""
