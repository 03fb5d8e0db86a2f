"""SmartNoise's covariance adds noise to values that it doesn't clip: issue 622, mended in 1.0.6.

The two releases stand in folders of their own.  Only the module of the covariance is loaded, as the package around it
asks for a scikit-learn from before 2021.
"""

import importlib.util
import sys
from pathlib import Path

import pandas as pd

PACKAGE, MODULE = "smartnoise-synth", "snsynth/models/dp_covariance.py"
RELEASES = {"1.0.5": "as released", "1.0.6": "mended (#624)"}


def folder(version) -> Path:
    """Return where `make audits` puts a release."""
    return Path(sys.prefix) / f"{PACKAGE}-{version}"


def rows(audited):
    """Yield the covariance of twenty rows of zeros, against nineteen and one far outside the bounds (replace-one)."""
    for version, state in RELEASES.items():
        spec = importlib.util.spec_from_file_location("dp_covariance", folder(version) / MODULE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        def variance(far, rng, module=module):
            table = pd.DataFrame({"x": [0.0] * 19 + [far], "y": [0.0] * 20})
            bounds = pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]})
            return module.DPcovariance(20, ["x", "y"], bounds, 1.0).release(table)[0]

        yield audited(PACKAGE, "DPcovariance.release", state, "#622", variance, 0.0, 100.0, release=version)
