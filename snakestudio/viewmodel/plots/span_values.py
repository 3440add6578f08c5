"""Values of curves in a time span, read from the recording, and their statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.piece import Piece
from snakestudio.viewmodel.plots.channels import series_of, signal_of
from snakestudio.viewmodel.plots.plot_type import CurveSpec
from snakestudio.viewmodel.plots.series_cache import Source
from snakestudio.viewmodel.work import Progress

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpanStatistics

_PIECE = 4096
"""Number of rows per read."""


@dataclass(frozen=True, slots=True)
class SpanCurve:
    """Curve whose statistics are computed."""

    name: str
    """Name for display."""

    colour: str
    unit: str
    recording: Source
    other: Source | None
    """Recording that its derived channel calls the other run."""

    line: CurveSpec


def curve_table(
    recording: Source,
    lines: Sequence[CurveSpec],
    start: int,
    stop: int,
    piece: int = _PIECE,
    other: Source | None = None,
) -> Iterator[FloatArray]:
    """Yield values of curves at rows start to stop in blocks of shape (k, curves)."""
    schema = recording.schema
    theirs = None if other is None else other.schema
    keys = dict.fromkeys(line.series for line in lines)
    signals = {
        key: signal for key in keys if (signal := signal_of(key, schema, theirs)) is not None
    }
    for first in range(start, max(stop, start + 1), max(1, piece)):
        last = min(first + piece, stop)
        tables: dict[str, FloatArray] = {
            key: each.values(recording, first, last, other)[:, None]
            for key, each in signals.items()
        }
        if len(signals) < len(keys):
            before = recording.rows(first - 1, first) if first else None
            rows = Piece(schema, recording.rows(first, last), before)
            for key in keys - signals.keys():
                tables[key] = series_of(key, schema).values(rows)
        yield np.stack([tables[line.series][:, line.column] for line in lines], axis=1)


def figures(
    curves: Sequence[SpanCurve], span: tuple[float, float], progress: Progress
) -> list[SpanStatistics] | None:
    """Return statistics of curves from span[0] to span[1] (s); None if it was cancelled."""
    from snakestudio.analysis.signals import statistics  # slow to import, here in a thread

    results = []
    for number, curve in enumerate(curves):
        if not progress(number / len(curves)):
            return None
        times = curve.recording.times
        first = int(np.searchsorted(times, span[0]))
        stop = int(np.searchsorted(times, span[1], side="right"))
        pieces = (
            list(curve_table(curve.recording, [curve.line], first, stop, _PIECE, curve.other))
            if stop > first
            else []
        )
        values = np.concatenate(pieces)[:, 0] if pieces else np.zeros(0)
        results.append(statistics(times[first:stop], values))
    return results
