"""Show decoded traffic from a robot on its CAN bus, then a table of its nodes, without sending anything."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.bus_options import add_bus_arguments, chosen_bus
from snakestudio.cli.outputs import Outputs, add_force_argument
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.link.bus.frame_log import FrameLog, LogSource
    from snakestudio.link.frame import Frame

_WAIT_S = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio listen`."""
    parser.add_argument(
        "profile", metavar="PROFILE", help="robot profile, or the name of a bundled one"
    )
    add_bus_arguments(parser)
    parser.add_argument(
        "--log", metavar="FILE", type=Path, help="log all frames: .blf, .asc or .log (candump)"
    )
    add_force_argument(parser)
    parser.add_argument("--duration", metavar="S", type=float, help="listening time (until Ctrl+C)")
    parser.add_argument("--raw", action="store_true", help="show ids and bytes only")


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio listen`; return the exit code."""
    from snakestudio.link.bus.frame_log import LogSource, check_log_path
    from snakestudio.link.bus.listening import ListenOnlyBus, NodeTable
    from snakestudio.link.core.codec import Codec
    from snakestudio.link.profile.library import find_profile
    from snakestudio.link.profile.loading import load_profile

    if options.duration is not None and not options.duration > 0:
        raise UsageError(f"--duration {options.duration:g}: the duration must be positive.")
    loaded = load_profile(find_profile(options.profile))
    bus = chosen_bus(loaded.profile.bus, options)
    codec = Codec(loaded)
    table = NodeTable(loaded.profile)
    if options.log is not None:
        check_log_path(options.log)
        Outputs(options, (bus.channel if bus.interface == "replay" else None,), options.log)
    log = _log(options.log, LogSource(loaded.profile, loaded.dbc_text), bus.channel)
    begin = time.monotonic()
    try:
        with ListenOnlyBus(bus) as listening:
            reported = False
            while True:
                received = listening.next(_WAIT_S)
                if listening.open and not reported:
                    reported = True
                    begin = time.monotonic()
                    where = f"{bus.interface} {bus.channel}"
                    print(
                        f"Listening on {where}; nothing is sent. Ctrl+C stops it.", file=sys.stderr
                    )
                if listening.ended:
                    for note in listening.notes:
                        print(note, file=sys.stderr)
                    break
                # The duration counts the times of frames, not when they are read.
                now = time.monotonic() if received is None else received[0].time
                if options.duration is not None and now - begin >= options.duration:
                    break
                if received is None:
                    continue
                frame, sent = received
                if (
                    codec.decode_outgoing(frame) is None
                ):  # frames sent by a program are not status messages of nodes
                    table.add(frame, codec.decode(frame))
                # Readers of a pipe need each line immediately.
                print(
                    _line(frame, sent, begin, "" if options.raw else codec.text(frame)), flush=True
                )
                if log is not None:
                    log.write(frame, sent=sent)
    except KeyboardInterrupt:
        pass
    finally:
        if log is not None:
            log.end()
            log.join(5.0)
    print(f"\n{table.text(time.monotonic())}")
    return 0 if log is None or log.complete else 2


def _log(path: Path | None, source: LogSource, channel: str) -> FrameLog | None:
    from snakestudio.link.bus.frame_log import FrameLog

    if path is None:
        return None
    return FrameLog(path, source, channel, lambda _, text: print(text, file=sys.stderr))


def _line(frame: Frame, sent: bool, begin: float, text: str) -> str:
    number = f"{frame.id:08X}" if frame.extended else f"{frame.id:03X}"
    data = (
        "error"
        if frame.error
        else f"remote {frame.length}"
        if frame.remote
        else frame.data.hex(" ").upper()
    )
    line = f"{frame.time - begin:10.4f} {'>' if sent else ' '} {number:>8}  {data:<23}"
    return f"{line}  {text}".rstrip()
