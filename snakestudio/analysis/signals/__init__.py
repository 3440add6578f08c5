"""Derived signals: typed expressions over the columns of any recording, their spectrum and statistics."""

from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.signal import (
    Signal,
    SpanStatistics,
    SpectrumWindow,
    compile_signal,
    spectrum,
    statistics,
)
from snakestudio.errors import SignalError

__all__ = [
    "FUNCTIONS",
    "Function",
    "Signal",
    "SignalError",
    "SpanStatistics",
    "SpectrumWindow",
    "compile_signal",
    "spectrum",
    "statistics",
]
