"""Options of commands that start together with other instruments: fire a trigger, or wait for one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.runfile.recording import RunRecording
    from snakestudio.sync import StartSettings, SynchronizedStart


def add_trigger_arguments(parser: argparse.ArgumentParser, wait_at: str) -> None:
    """Declare the options of a synchronized start; `wait_at` is the help of --wait-at, which differs by command."""
    parser.add_argument(
        "--fire",
        metavar="HOST:PORT",
        help="send START to this address when the run starts, and STOP at its end",
    )
    parser.add_argument(
        "--wait-for",
        metavar="PORT",
        help="start when START arrives on this TCP port or, with lsl:NAME, at a marker of that stream",
    )
    parser.add_argument("--wait-at", metavar="ADDRESS", default="", help=wait_at)
    parser.add_argument(
        "--wait-limit",
        metavar="S",
        type=float,
        help="longest time to wait (until Ctrl+C if omitted)",
    )


class _StartedRun:
    """Synchronized start of a run, if there was one."""

    def __init__(self, start: SynchronizedStart | None) -> None:
        self._start = start
        self.notes: tuple[str, ...] = () if start is None else tuple(start.notes)
        for sentence in self.notes:
            print(sentence, flush=True)

    def finish(self, recording: RunRecording) -> None:
        """Notify the others of the end of the run, and record the result in it."""
        if self._start is None:
            return
        from snakestudio.model.events import RunEvent

        self._start.finish()
        for sentence in self._start.notes[len(self.notes) :]:
            print(sentence)
            recording.add_event(RunEvent(float(recording.times[-1]), "note", sentence))


@contextmanager
def started_together(options: argparse.Namespace, name: str) -> Iterator[_StartedRun]:
    """Wait and fire according to the options; the context contains the run.

    Raises `UsageError` or `TriggerError`, before the run starts, if an option is invalid or the
    synchronized start fails.
    """
    choices = trigger_choices(options)
    if choices is None:
        yield _StartedRun(None)
        return
    from snakestudio.sync import SynchronizedStart

    with SynchronizedStart(choices, name, lambda: None) as start:
        start.prepare()
        if choices.wait:
            print(start.doing, flush=True)
            start.wait()
        start.start_run()
        yield _StartedRun(start)


def trigger_choices(options: argparse.Namespace) -> StartSettings | None:
    """Return the partners of the synchronized start; None if there are none.

    Raises `UsageError` if an option is invalid.
    """
    if options.wait_limit is not None and not options.wait_limit > 0:
        raise UsageError(f"--wait-limit {options.wait_limit:g}: give a positive number of seconds.")
    if options.wait_limit is not None and options.wait_for is None:
        raise UsageError("--wait-limit needs --wait-for. Give --wait-for, or remove the limit.")
    trigger: str | None = options.wait_for
    if options.wait_at and (trigger is None or trigger.startswith("lsl:")):
        raise UsageError(
            "--wait-at needs a port in --wait-for. Give --wait-for PORT, or remove --wait-at."
        )
    if options.fire is None and trigger is None:
        return None
    from snakestudio.sync import StartSettings, split_address

    choices: dict[str, object] = {"limit_s": options.wait_limit or 0.0}
    if options.fire is not None:
        host, port = split_address(options.fire)
        choices |= {"fire": True, "host": host, "port": port}
    if trigger is not None and trigger.startswith("lsl:") and trigger[4:].strip():
        choices |= {"wait": "lsl", "wait_stream": trigger[4:].strip()}
    elif trigger is not None:
        if not (trigger.isascii() and trigger.isdecimal() and 0 < int(trigger) <= 65535):
            raise UsageError(
                f"--wait-for {trigger}: give a port from 1 to 65535, or lsl:NAME of a stream."
            )
        choices |= {"wait": "port", "wait_port": int(trigger), "wait_host": options.wait_at}
    return StartSettings(**choices)  # type: ignore[arg-type]
