"""Emulate the robot of a profile on a CAN bus, with firmware, joints and faults, for tests without a robot."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.bus_options import add_bus_arguments, chosen_bus
from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.shared import scene_path
from snakestudio.errors import UsageError
from snakestudio.link.emulator.fault import FAULTS

if TYPE_CHECKING:
    from snakestudio.link.emulator.process import Port, TimedFault
    from snakestudio.link.profile.loading import LoadedProfile
    from snakestudio.live.engine_plant import EnginePlant
    from snakestudio.live.pose_sender import PoseSender


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio emulate`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "faults:\n"
        + "\n".join(f"  {kind:<16} {text}" for kind, text in FAULTS.items())
        + "\n\nWhile it runs, type 'fault KIND [NODE]', 'clear' (clears all faults) or 'quit'."
    )
    parser.add_argument(
        "profile", metavar="PROFILE", help="robot profile, or the name of a bundled one"
    )
    bus = parser.add_argument_group("bus")
    add_bus_arguments(bus, "udp_multicast")
    bus.add_argument(
        "--slcan",
        action="store_true",
        help="emulate a serial adapter: a pseudo-terminal for slcan",
    )
    bus.add_argument(
        "--virtual",
        action="store_true",
        help="use a bus inside this process, to try faults and plants",
    )
    ground = parser.add_argument_group("ground and pose")
    ground.add_argument(
        "--scene",
        metavar="SCENE",
        type=scene_path,
        help="move on the ground of this scene instead of at a fixed base",
    )
    ground.add_argument(
        "--pose",
        metavar="HOST:PORT",
        help="send the poses of the links to this address, as motion capture would",
    )
    ground.add_argument(
        "--pose-rate", metavar="HZ", type=float, default=20.0, help="poses per second (%(default)g)"
    )
    ground.add_argument(
        "--pose-noise-mm",
        metavar="MM",
        type=float,
        default=0.0,
        help="standard deviation of positions",
    )
    ground.add_argument(
        "--pose-dropout",
        metavar="SHARE",
        type=float,
        default=0.0,
        help="fraction of bodies that are not detected (0 to 1)",
    )
    ground.add_argument(
        "--lsl",
        action="store_true",
        help="send the poses as a stream of the Lab Streaming Layer, too",
    )
    other = parser.add_argument_group("behaviour")
    other.add_argument(
        "--fault",
        metavar="KIND[:NODE][@S]",
        action="append",
        default=[],
        dest="faults",
        help="inject a fault after S seconds, in one node or in all (can be repeated)",
    )
    other.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=0,
        help="seed of random delays, noise and faults (%(default)s)",
    )
    other.add_argument(
        "--report", metavar="FILE", type=output, help="write a line of JSON per event"
    )
    add_force_argument(parser)
    other.add_argument(
        "--until-eof", action="store_true", help="stop at the end of the standard input"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio emulate`; return the exit code."""
    from snakestudio.link.emulator.process import Commands, EmulatorProcess
    from snakestudio.link.emulator.robot import EmulatedRobot
    from snakestudio.link.process.priority import raise_below_link
    from snakestudio.link.profile.library import find_profile
    from snakestudio.link.profile.loading import load_profile

    faults = tuple(_timed_fault(text) for text in options.faults)
    source = find_profile(options.profile)
    if options.report is not None:
        if not os.path.isdir(options.report.parent):
            raise UsageError(
                f"--report {options.report}: it cannot be written (there is no such folder)."
            )
        Outputs(options, (options.scene, source), options.report)
    loaded = load_profile(source)
    plant = _plant(options, loaded)
    robot = EmulatedRobot(loaded, plant, seed=options.seed)
    for timed in faults:
        robot.befallen(timed.fault)
    ended = _signals()  # before any output: its reader may send a signal immediately
    with contextlib.ExitStack() as stack:
        sender = stack.enter_context(_sender(options, plant))
        report = stack.enter_context(_report(options.report))
        port, instruction = _port(options, loaded)
        stack.callback(port.close)
        print(
            f"{loaded.profile.name}: {len(robot.nodes)} nodes, {len(loaded.profile.axes)} axes. {instruction}",
            flush=True,
        )

        def each_round(now: float) -> str:
            if plant is None:
                return ""
            if sender is not None:
                sender.follow(plant.snapshot, now)
            return plant.pace

        # Frames that are received late would look like a host that stopped responding.
        raise_below_link(computes=plant is not None)
        process = EmulatorProcess(robot, port, faults, report, each_round, lambda: bool(ended))
        process.run(Commands(options.until_eof))
    return 0


def _timed_fault(text: str) -> TimedFault:
    """Parse a fault, KIND[:NODE][@S].

    Raises
    ------
    UsageError
    """
    from snakestudio.link.emulator.fault import parse_fault
    from snakestudio.link.emulator.process import TimedFault

    what, _, after = text.partition("@")
    kind, _, node = what.partition(":")
    try:
        seconds = float(after) if after else 0.0
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < float("inf"):
        raise UsageError(
            f"--fault {text}: {after!r} is not a number of seconds. Write it as {kind}:3@2.5."
        )
    return TimedFault(seconds, parse_fault(kind, node))


def _plant(options: argparse.Namespace, loaded: LoadedProfile) -> EnginePlant | None:
    """Return the plant on the scene's ground; None without a scene.

    Raises
    ------
    UserError
    """
    if options.scene is None:
        if options.pose is not None or options.lsl:
            raise UsageError(
                "There are no poses to send at a fixed base. Give the ground with --scene."
            )
        return None
    from snakestudio.cli.shared import ProgressLine, warm_up
    from snakestudio.live.engine_plant import EnginePlant
    from snakestudio.model.scene_file import load_scene

    path = Path(options.scene)
    scene = load_scene(path)
    plant_scene = EnginePlant.scene_of(scene, loaded)
    warm_up([plant_scene.model.kind], ProgressLine())
    return EnginePlant(scene, loaded, path.parent)


@contextlib.contextmanager
def _sender(options: argparse.Namespace, plant: EnginePlant | None) -> Iterator[PoseSender | None]:
    if plant is None or not (options.pose or options.lsl):
        yield None
        return
    from snakestudio.live.pose_sender import PoseSender

    sender = PoseSender(
        options.pose,
        options.pose_rate,
        0.001 * options.pose_noise_mm,
        options.pose_dropout,
        options.lsl,
        options.seed,
    )
    try:
        yield sender
    finally:
        sender.close()


@contextlib.contextmanager
def _report(path: Path | None) -> Iterator[Callable[[str], None] | None]:
    if path is None:
        yield None
        return
    from snakestudio.export.files import not_written

    def write(text: str) -> None:
        try:
            file.write(text.encode())
        except OSError as error:
            raise not_written(path, error) from None

    try:
        # No temporary name: the file is read while the robot runs.
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise not_written(path, error) from None
    with file:
        yield write


def _port(options: argparse.Namespace, loaded: LoadedProfile) -> tuple[Port, str]:
    """Return the robot's port, and instructions for connecting to it.

    Raises
    ------
    UserError
    """
    from snakestudio.link.emulator.process import BusPort
    from snakestudio.link.emulator.slcan import BIT_RATES, PtySlcan

    if options.slcan and options.virtual:
        raise UsageError("--slcan and --virtual exclude each other. Give one of them.")
    for name in ("interface", "channel", "port"):
        if (options.slcan or options.virtual) and getattr(options, name) is not None:
            where = "--slcan" if options.slcan else "--virtual"
            raise UsageError(
                f"{where} and --{name}: {where} already chooses the bus. Remove --{name}."
            )
    if options.slcan:
        rate = loaded.profile.bus.bitrate if options.bitrate is None else options.bitrate
        if rate not in BIT_RATES:
            known = ", ".join(str(each) for each in BIT_RATES)
            raise UsageError(
                f"--slcan: serial adapters do not support {rate} bit/s. Set --bitrate to one of {known}."
            )
        slcan = PtySlcan(rate)
        return slcan, f"Connect with --interface slcan --channel {slcan.path} --bitrate {rate}."
    if options.interface == "slcan" and options.channel is None:
        raise UsageError(
            "--interface slcan needs the serial port of an adapter as --channel. Give --slcan for an emulated "
            "adapter, a pseudo-terminal."
        )
    options.interface = "virtual" if options.virtual else options.interface or "udp_multicast"
    bus = chosen_bus(loaded.profile.bus, options, alone=True)
    port = f" --port {bus.options['port']}" if "port" in bus.options else ""
    instruction = f"Connect with --interface {bus.interface} --channel {bus.channel}{port}."
    if bus.interface == "virtual":
        instruction = "Only this process can connect."
    return BusPort(bus), instruction


def _signals() -> list[int]:
    """Return the list of the received stop signals, which grows as they arrive."""
    import signal

    came: list[int] = []
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, frame: came.append(number))
    return came
