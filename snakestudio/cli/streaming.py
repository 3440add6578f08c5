"""Options of commands that stream a run or a robot to other programs while it goes on."""

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
    from snakestudio.stream.sampler import Shown
    from snakestudio.stream.target import Target

_SLOWEST = 0.01
"""Below this a run looks like one that hangs, and Ctrl+C waits for a control period."""


def add_stream_arguments(parser: argparse.ArgumentParser, *, paced: bool = False) -> None:
    """Declare where to stream to and how often; of a run that can be `paced` also how fast it goes meanwhile."""
    parser.add_argument(
        "--stream",
        metavar="[HOST:]PORT",
        nargs="?",
        const="",
        help="stream live to Foxglove, Lichtblick and PlotJuggler (127.0.0.1:8765 if left out), to a Rerun viewer "
        "(rerun, or rerun:[HOST:]PORT), or to a file for one (rerun:FILE.rrd)",
    )
    parser.add_argument(
        "--stream-rate",
        metavar="HZ",
        type=float,
        help="samples a second of the stream (50 if left out)",
    )
    if paced:
        parser.add_argument(
            "--stream-speed",
            metavar="X",
            help="simulated seconds a second while streaming: 1 is real time (if left out), max is as fast as it goes",
        )


def stream_target(options: argparse.Namespace) -> Target | None:
    """Where the options stream to; None if nowhere.

    Raises `UsageError` if an option cannot be read.
    """
    if options.stream is None:
        if options.stream_rate is not None:
            raise UsageError("--stream-rate needs --stream. Give --stream, or leave the rate out.")
        if getattr(options, "stream_speed", None) is not None:
            raise UsageError(
                "--stream-speed needs --stream: without it a run goes as fast as it can. Leave it out."
            )
        return None
    from snakestudio.stream.target import DEFAULT_RATE_HZ, parse_target

    if options.stream.lower().endswith((".toml", ".mcap", ".csv")):
        raise UsageError(
            f"--stream {options.stream}: that is a file, not a port. Put SCENE before --stream."
        )
    return parse_target(
        options.stream, DEFAULT_RATE_HZ if options.stream_rate is None else options.stream_rate
    )


def speed_of(options: argparse.Namespace) -> float:
    """Simulated over wall time at most, as the options say; infinite without a stream.

    Raises `UsageError` if it cannot be read.
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
            f"--stream-speed {options.stream_speed} is not a speed. Give a number from {_SLOWEST:g} on, or max."
        )
    return speed


class Streaming:
    """What a command streams: nothing until a recording is shown."""

    def __init__(self) -> None:
        self._source: Callable[[], Recording | None] = lambda: None
        self._base_dir: Path | None = None

    def show(self, source: Callable[[], Recording | None], base_dir: Path | None) -> None:
        """Stream the newest row of whatever recording `source` gives; it is called on the stream's thread."""
        self._source = source
        self._base_dir = base_dir

    def __call__(self) -> Shown | None:
        """What to stream now: a feed."""
        from snakestudio.stream.sampler import Shown

        recording = self._source()
        return None if recording is None else Shown(recording, None, self._base_dir)


@contextmanager
def streaming(target: Target | None) -> Iterator[Streaming]:
    """While this lasts, what is shown is streamed.

    Raises `StreamError` if that cannot begin.
    """
    shown = Streaming()
    if target is None:
        yield shown
        return
    from snakestudio.stream.publisher import open_stream

    stream = open_stream(target, shown, _note)
    print(f"Streaming to {stream.address}.", flush=True)
    try:
        yield shown
    finally:
        stream.close()
        if stream.dropped:
            _note(f"The stream skipped {stream.dropped} samples of {stream.sent + stream.dropped}.")


def _note(text: str) -> None:
    print(f"snakestudio: {text}", file=sys.stderr, flush=True)
