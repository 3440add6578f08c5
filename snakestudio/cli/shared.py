"""Shared parts of commands: the scene and its values, the progress line, compilation before a run."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.terminal import is_terminal, print_warning, width
from snakestudio.errors import UsageError
from snakestudio.inputs import SCENE, InputError, parse_toml
from snakestudio.paths import find_scene

if TYPE_CHECKING:
    from snakestudio.model.plausibility import Plausibility
    from snakestudio.model.recording import Recording

SCENE_HELP = "scene file or a name: NAME.toml in the current folder, or the bundled scene NAME"
"""Help text of the argument SCENE."""


def scene_path(text: str) -> str:
    """Return the path of a scene that the command line names by path or by bare name."""
    return str(find_scene(Path(text)))


def add_set_argument(
    parser: argparse.ArgumentParser, example: str = "gait.amplitude_deg=30"
) -> None:
    """Declare --set, which replaces values of a scene."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="values",
        help=f"replace a scene value, e.g. --set {example} (can be repeated)",
    )


def add_scene_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a scene and the options that replace its values."""
    parser.add_argument(
        "scene",
        metavar="SCENE",
        type=scene_path,
        help=f"{SCENE_HELP}; or a CSV or .mcap of an earlier run to run again",
    )
    parser.add_argument(
        "--duration", metavar="S", type=float, help="simulated time (that of the scene if omitted)"
    )
    parser.add_argument(
        "--rate",
        metavar="HZ",
        type=float,
        help="rows per simulated second (that of the scene if omitted)",
    )
    add_set_argument(parser)


def assignments(
    texts: Iterable[str],
    option: str = "--set",
    form: str = "KEY=VALUE, such as gait.amplitude_deg=30",
) -> dict[str, Any]:
    """Parse the values of ``--set``, or of another option that is written in this `form`.

    Raises `UsageError` if one is not written as KEY=VALUE.
    """
    return dict(_assignment(text, option, form) for text in texts)


def _assignment(text: str, option: str, form: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"{option} {text}: write it as {form}.")
    try:
        return key.strip(), parse_toml(f"value = {value}", SCENE)["value"]
    except InputError:
        if value.strip() and not any(mark in value for mark in "\"'[]{}\n="):
            # quotes around a string are optional: the shell removes them anyway
            return (key.strip(), value.strip())
        prefix = f"{option} {text[:60]}: {value[:60]!r}"
        raise UsageError(
            f"{prefix} is not a TOML value. Write numbers plainly and strings in quotes."
        ) from None


def warn_of(plausibility: Plausibility) -> None:
    """Print a warning for each violation of the plausibility checks, the remedy once."""
    remedies: set[str] = set()
    for violation in plausibility.violations:
        remedy = "" if violation.remedy in remedies else f" {violation.remedy}"
        remedies.add(violation.remedy)
        print_warning(f"not plausible ({violation.title}): {violation.text}{remedy}")


def plausibility_values(recording: Recording | None) -> dict[str, Any] | None:
    """Return the result of the plausibility checks of a run for scripts; None without a simulated run."""
    from snakestudio.export.provenance import known_plausibility

    result = None if recording is None else known_plausibility(recording)
    return None if result is None else result.values


def warm_up(kinds: Iterable[str], line: ProgressLine) -> None:
    """Compile the engines of `kinds` that are not compiled yet, with progress messages.

    Raises `PreparationError` if one cannot be compiled.
    """
    from snakestudio.engines import registry
    from snakestudio.kinds.formulation import FORMULATIONS
    from snakestudio.session.engine_compiler import compile_here, expected_seconds, is_prepared
    from snakestudio.session.time_left import TimeLeft, progress_text, time_left

    for kind in kinds:
        if is_prepared(kind):
            continue
        name = FORMULATIONS[kind].short
        seconds = expected_seconds(kind)
        left = TimeLeft(seconds, time.monotonic())

        def text(name: str = name, left: TimeLeft = left) -> str:
            now = time.monotonic()
            return f"Preparing the {name} engine: {progress_text(left.fraction(now), left.seconds(now))}"

        def update(fraction: float, doing: str, left: TimeLeft = left) -> None:
            left.update(fraction, time.monotonic())

        if not line.visible:
            about = time_left(seconds).removesuffix(" left")
            print(
                f"Preparing the {name} engine, once on this computer (about {about})...",
                flush=True,
            )
        with line.showing(text):
            compile_here(kind, update)
        if registry.note():
            print_warning(registry.note())


class ProgressLine:
    """Progress line on a terminal, rewritten in place and never wider than the terminal; no output elsewhere.

    Parameters
    ----------
    options : argparse.Namespace, optional
        With `quiet` nothing is shown.
    clock : callable
        Returns the time, s.
    """

    def __init__(
        self, options: argparse.Namespace | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.visible = is_terminal(sys.stderr) and not getattr(options, "quiet", False)
        self._clock = clock
        self._next = 0.0

    def reporter(self, doing: str, seconds: float | None = None) -> Callable[..., bool]:
        """Return a callback that shows the finished fraction of an operation of `seconds` simulated seconds.

        Its optional second argument is shown instead of the simulated time.
        """
        from snakestudio.session.time_left import percent, time_left

        started = self._clock()

        def report(fraction: float, detail: str = "") -> bool:
            now = self._clock()
            if self.visible and now >= self._next:
                self._next = now + 0.1
                if not detail and seconds:
                    detail = f"{fraction * seconds:.1f} of {seconds:g} s"
                left = (
                    f", {time_left((now - started) * (1 - fraction) / fraction)}"
                    if 0 < fraction < 1
                    else ""
                )
                short = f"{percent(fraction)}{left}"
                full = f"{doing}: {detail}, {short}" if detail else f"{doing}: {short}"
                self._write(full, f"{doing}: {short}", short, percent(fraction))
            return True

        return report

    def show(self, text: str) -> None:
        """Show a text."""
        now = self._clock()
        if self.visible and now >= self._next:
            self._next = now + 0.1
            self._write(text)

    @contextmanager
    def showing(self, text: Callable[[], str]) -> Iterator[None]:
        """Show `text()` inside the context, updated periodically."""
        if not self.visible:
            yield
            return
        ended = threading.Event()

        def write() -> None:
            while True:
                self._write(text())
                if ended.wait(0.25):
                    return

        writer = threading.Thread(target=write, name="snakestudio-progress", daemon=True)
        writer.start()
        try:
            yield
        finally:
            ended.set()
            writer.join()
            self.clear()

    def _write(self, *texts: str) -> None:
        """Write the first text that fits on the line, else the last one, truncated."""
        columns = width(sys.stderr) - 1  # a full line would wrap
        text = next((each for each in texts if len(each) <= columns), texts[-1][:columns])
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Clear the line."""
        if self.visible:
            self._write("")
