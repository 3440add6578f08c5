"""Derived signals of an hour at 100 rows a second: time relative to reading the rows, and memory."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from snakestudio.analysis.signals import compile_signal
from snakestudio.model.columns import column_names
from tests.analysis.signals.made import SCHEMA, MadeRecording, even

Row = tuple[str, object, str, str, bool]

_TEXTS = (
    "a_m + 2*b_m",
    "lowpass(derivative(a_m), 5)",
    "integral(force_n*a_m)",
    "median(a_m, 0.25)",
    "moving_mean(a_m, 1)",
    "norm(a_m, b_m) - at(a_m, 0)",
)


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    recording = MadeRecording(even(3600.0), a_m=np.sin, b_m=np.cos, force_n=lambda t: np.sin(3 * t))
    names = column_names(SCHEMA)
    for text in _TEXTS:
        # scipy is imported with the first filter
        compile_signal(text, names).values(recording, 0, 100)
    result: list[Row] = []
    for text in _TEXTS:
        signal = compile_signal(text, names)
        started = time.perf_counter()
        signal.values(recording)
        took = time.perf_counter() - started
        result.append((f"{text}, 360,001 rows", took, "s", "<= 2", took <= 2.0))
        started = time.perf_counter()
        signal.values(recording, len(recording) - 10)
        last = 1000 * (time.perf_counter() - started)
        result.append(("  its last 10 rows", last, "ms", "<= 10", last <= 10.0))
    tracemalloc.start()
    compile_signal("lowpass(derivative(a_m), 5)", names).values(recording)
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    result.append(("peak memory while an hour is computed", most, "MB", "<= 60", most <= 60.0))
    return result
