"""Old names and forms of calls that still work, with a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray


def warn_renamed(old: str, new: str, level: int = 3) -> None:
    """Warn that an old name has a new one; a FutureWarning, because Python hides others outside of scripts.

    Parameters
    ----------
    level : int
        Number of calls between this one and the user's code, counted from 1 for this one.
    """
    warnings.warn(f"{old} is now {new}. Use {new}.", FutureWarning, stacklevel=level)


class FormerMethod(np.ndarray[Any, np.dtype[np.float64]]):
    """Array of a property that was a method: a call returns it, with a warning."""

    def __call__(self) -> FloatArray:
        """Return the array itself, as the method did."""
        warn_renamed("centre_of_mass()", "the property centre_of_mass")
        return np.asarray(self)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return results of arithmetic as plain arrays."""
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        return repr(np.asarray(self))
