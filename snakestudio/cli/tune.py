"""Measure and choose the code for this processor, or for a baseline that all machines have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakestudio.cli.shared import ProgressLine
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.session.tuning import Stage, Timing

__all__ = ["add_arguments", "execute", "table"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio tune`; without any it says how things stand."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--measure", action="store_true", help="compile what is missing, time every engine with both, and recommend"
    )
    what.add_argument("--on", action="store_true", help="compute for this very processor from the next start on")
    what.add_argument("--off", action="store_true", help="compute for the baseline again, as all machines do")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio tune`."""
    import contextlib

    from snakestudio import processor
    from snakestudio.session import tuning

    with contextlib.suppress(OSError):
        processor.note_told()
    if options.on or options.off:
        tuning.switch(options.on)
        if options.on:
            print(f"From the next start on SnakeStudio computes for this processor ({processor.processor_name()}).")
            print(tuning.FOLLOWS)
        else:
            print(
                f"From the next start on SnakeStudio computes for {processor.BASELINE}, with the same bits everywhere."
            )
        if processor.given():
            print(f"SNAKESTUDIO_PROCESSOR is set to {processor.given()}, which goes before that; take it away.")
        return 0
    if options.measure:
        _measure()
        return 0
    for sentence in tuning.description():
        print(sentence)
    if not tuning.why_not():
        print("See what it would gain: snakestudio tune --measure")
        print(_how_to_switch())
    return 0


def _measure() -> None:
    from snakestudio.session import tuning
    from snakestudio.session.time_left import percent, time_left

    if reason := tuning.why_not_measure():
        raise UsageError(reason)
    line = ProgressLine()
    if not line.shown:
        print("Timing every engine with both kinds of code; this takes some minutes ...", flush=True)

    def tell(stage: Stage) -> bool:
        line.tell(f"{stage.doing}: {percent(stage.fraction)}, {time_left(stage.seconds_left)}")
        return True

    try:
        timings = tuning.measure(tell)
    finally:
        line.clear()
    assert timings is not None
    for text in table(timings):
        print(text)
    print(tuning.READ)
    print(tuning.verdict(timings))
    print(_how_to_switch())


def _how_to_switch() -> str:
    from snakestudio import processor

    if processor.chosen():
        return f"Compute for {processor.BASELINE} again: snakestudio tune --off"
    return "Compute for this very processor: snakestudio tune --on"


def table(timings: Sequence[Timing]) -> list[str]:
    """The lines of a table of timings."""
    from snakestudio.session.tuning import HEADINGS, cells

    rows = [HEADINGS, *(cells(timing) for timing in timings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return [
        "  ".join(
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
