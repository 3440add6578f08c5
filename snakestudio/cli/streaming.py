"""Options of commands that stream a run or a robot live to other programs."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from snakestudio.model.recording import Recording
    from snakestudio.stream.sampler import StreamSource
    from snakestudio.stream.target import Target

_SLOWEST = 0.01
"""Smallest speed: a slower run seems to hang, and Ctrl+C takes a control period."""


def add_stream_arguments(parser: argparse.ArgumentParser, *, paced: bool = False) -> None:
    """Declare target and rate of the stream and, with `paced`, the speed of the run."""
    parser.add_argument(
        "--stream",
        metavar="[HOST:]PORT",
        nargs="?",
        const="",
        help="stream live to Foxglove, Lichtblick and PlotJuggler (127.0.0.1:8765 if omitted), to a Rerun viewer "
        "(rerun, or rerun:[HOST:]PORT), or to a Rerun file (rerun:FILE.rrd)",
    )
    parser.add_argument(
        "--stream-rate",
        metavar="HZ",
        type=float,
        help="samples per second of the stream (50 if omitted)",
    )
    if paced:
        parser.add_argument(
            "--stream-speed",
            metavar="X",
            help="simulated seconds per second while streaming: 1 is real time (the default), max is unlimited",
        )


def stream_target(options: argparse.Namespace) -> Target | None:
    """Return the target of the stream; None if there is none.

    Raises `UsageError` if an option is invalid.
    """
    if options.stream is None:
        if options.stream_rate is not None:
            raise UsageError("--stream-rate needs --stream. Give --stream, or remove the rate.")
        if getattr(options, "stream_speed", None) is not None:
            raise UsageError(
                "--stream-speed needs --stream: without it a run is always as fast as possible. Remove it."
            )
        return None
    from snakestudio.stream.target import DEFAULT_RATE_HZ, parse_target

    if options.stream.lower().endswith((".toml", ".mcap", ".csv")):
        raise UsageError(
            f"--stream {options.stream} is a file, not a port. Put SCENE before --stream."
        )
    return parse_target(
        options.stream, DEFAULT_RATE_HZ if options.stream_rate is None else options.stream_rate
    )


def speed_of(options: argparse.Namespace) -> float:
    """Return the largest ratio of simulated time to wall time; infinite without a stream.

    Raises `UsageError` if the option is invalid.
    """
    if options.stream is None or options.stream_speed == "max":
        return math.inf
    if options.stream_speed is None:
        return 1.0
    try:
        speed = float(options.stream_speed)
    except ValueError:
        speed = math.nan
    if not (math.isfinite(speed) and speed >= _SLOWEST):
        raise UsageError(
            f"--stream-speed {options.stream_speed} is not a speed. Give a number of at least {_SLOWEST:g}, or max."
        )
    return speed


class Streaming:
    """Source of the stream of a command: empty until `show` is called."""

    def __init__(self) -> None:
        self._source: Callable[[], Recording | None] = lambda: None
        self._base_dir: Path | None = None

    def show(self, source: Callable[[], Recording | None], base_dir: Path | None) -> None:
        """Stream the newest row of the recording that `source` returns; it is called on the stream's thread."""
        self._source = source
        self._base_dir = base_dir

    def __call__(self) -> StreamSource | None:
        """Return the current data to stream, as a feed."""
        from snakestudio.stream.sampler import StreamSource

        recording = self._source()
        return None if recording is None else StreamSource(recording, None, self._base_dir)


@contextmanager
def streaming(target: Target | None) -> Iterator[Streaming]:
    """Stream inside the context.

    Raises `StreamError` if the stream cannot start.
    """
    source = Streaming()
    if target is None:
        yield source
        return
    from snakestudio.stream.publisher import open_stream

    stream = open_stream(target, source, _note)
    print(f"Streaming to {stream.address}.", flush=True)
    try:
        yield source
    finally:
        stream.close()
        if stream.dropped:
            _note(f"The stream skipped {stream.dropped} of {stream.sent + stream.dropped} samples.")


def _note(text: str) -> None:
    print(f"snakestudio: {text}", file=sys.stderr, flush=True)
