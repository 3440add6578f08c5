"""Derived signals: typed expressions over the columns of any recording, their spectrum and statistics."""

from snakestudio.errors import SignalError
from snakestudio.session.signals.analysis import SpanStatistics, SpectrumWindow, spectrum, statistics
from snakestudio.session.signals.functions import FUNCTIONS, Function
from snakestudio.session.signals.signal import Signal, compile_signal

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
