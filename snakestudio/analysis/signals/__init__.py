"""Derived signals: expressions over the columns of a recording, reductions to values, spectra, statistics."""

from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.reductions import REDUCTIONS, Figure, compile_reduction
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
    "REDUCTIONS",
    "Figure",
    "Function",
    "Signal",
    "SignalError",
    "SpanStatistics",
    "SpectrumWindow",
    "compile_reduction",
    "compile_signal",
    "spectrum",
    "statistics",
]
