"""Drive a robot on CAN with a scene's gait or controller: listen, arm, stream, disarm, write the run."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.bus_options import add_bus_arguments, chosen_bus
from snakestudio.cli.ending import EndRequest
from snakestudio.cli.exports import add_export_arguments, requested, write_run
from snakestudio.cli.outputs import Outputs, add_force_argument
from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, warm_up
from snakestudio.cli.streaming import add_stream_arguments, stream_target, streaming
from snakestudio.cli.terminal import print_error
from snakestudio.cli.together import add_trigger_arguments, trigger_choices
from snakestudio.errors import LinkError, UsageError

if TYPE_CHECKING:
    from snakestudio.link.messages import LinkEvent, Telemetry
    from snakestudio.link.process.client import LinkClient
    from snakestudio.live.live_robot import LiveRobot
    from snakestudio.live.pose_source import PoseSource
    from snakestudio.live.robot_start_target import RobotStartTarget
    from snakestudio.runfile.recording import RunRecording
    from snakestudio.sync import StartSettings

_BEAT_S = 0.02
_START_S = 30.0
_CONNECT_S = 10.0
_READY_S = 2.0
_ARM_S = 20.0
_DISARM_S = 20.0
_STOP_S = 2.0
_LET_GO_S = 5.0
_LOOK_S = 0.2
_TELL_S = 5.0
"""Interval of checks of live poses, and shortest interval between messages about them, s."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio drive`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "profile",
        metavar="PROFILE",
        help="profile of the robot (.toml), or the name of a bundled one",
    )
    add_drive_arguments(parser)
    add_stream_arguments(parser)


def add_drive_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for driving a robot, except scene and profile."""
    add_bus_arguments(parser)
    parser.add_argument(
        "--arm",
        action="store_true",
        help="switch torque on WITHOUT confirmation as soon as the robot is ready",
    )
    parser.add_argument(
        "--wait",
        metavar="S",
        type=float,
        default=10.0,
        help="give up if the robot is not ready after this time (%(default)g)",
    )
    parser.add_argument(
        "--reset",
        action="store_true",
        help="send the reset sequence once to a robot that has stopped or reports a fault",
    )
    parser.add_argument(
        "--pose",
        metavar="PORT",
        help="live poses: UDP port, ADDRESS:PORT to receive from other computers, or lsl:NAME",
    )
    parser.add_argument(
        "--twin",
        action="store_true",
        help="run the simulated twin, and show its joint deviation from the robot",
    )
    add_export_arguments(
        parser, ("csv", "hdf5", "mcap"), mcap="record to a run file (.mcap) during the run"
    )
    parser.add_argument(
        "--log", metavar="F", type=Path, help="log all frames: .blf, .asc or .log (candump)"
    )
    add_force_argument(parser)
    add_trigger_arguments(
        parser,
        "address to listen on with --wait-for; 0.0.0.0 lets other computers start the armed robot (127.0.0.1)",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio drive`; return the exit code."""
    target = stream_target(options)

    @contextmanager
    def streamed(robot: LiveRobot, base_dir: Path | None) -> Iterator[None]:
        with streaming(target) as stream:
            stream.show(lambda: robot.recording, base_dir)
            yield

    return drive(options, streamed)


Companions = Callable[["LiveRobot", "Path | None"], AbstractContextManager[None]]
"""Creates a context that runs alongside a drive, from the live robot and the folder of its scene. It is
entered before the first command to the link, because no imports are allowed once the robot is armed."""


def drive(options: argparse.Namespace, companions: Companions) -> int:
    """Drive a robot according to the options; return the exit code."""
    from snakestudio import api
    from snakestudio.link.bus.frame_log import check_log_path
    from snakestudio.link.process.client import LinkClient
    from snakestudio.link.process.priority import raise_below_link
    from snakestudio.link.profile.library import find_profile
    from snakestudio.link.profile.loading import load_profile
    from snakestudio.live.live_robot import LiveRobot
    from snakestudio.live.pose_stream import pose_source

    scene, base_dir, _ = api.prepare(
        options.scene, options.duration, options.rate, assignments(options.values)
    )
    source = find_profile(options.profile)
    loaded = load_profile(source)
    bus = chosen_bus(loaded.profile.bus, options)
    pose = None if options.pose is None else pose_source(options.pose)
    start_settings = trigger_choices(options)
    if not 0.0 < options.wait < float("inf"):
        raise UsageError(f"--wait {options.wait:g}: give a positive number of seconds, such as 10.")
    if not (options.arm or sys.stdin.isatty()):
        raise UsageError(
            "There is no terminal for typing ARM. Give --arm to switch torque on without confirmation."
        )
    if options.log is not None:
        check_log_path(options.log)
    exports = requested(options)
    paths = [export.path for export in exports]
    for path in paths:
        if not os.path.isdir(path.parent):
            raise UsageError(
                f"{path}: there is no folder {path.parent}. Create it, or give another file."
            )
    outputs = Outputs(options, (options.scene, source), *paths, options.log)
    outputs.spare_files_of(scene, base_dir)
    if options.twin:
        warm_up([scene.model.kind], ProgressLine())
    # Shells make background commands ignore Ctrl+C; a script must be able to stop the robot with
    # it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise_below_link(computes=True)  # late references and heartbeats stop the robot
    link = LinkClient(loaded, bus)
    try:
        robot = LiveRobot(
            link,
            scene,
            base_dir,
            new_run=lambda scene: outputs.live(options.mcap),
            on_event=_print_event,
            pose=pose,
            twin=options.twin,
        )
        session = _Drive(
            link, robot, wait=options.wait, reset=options.reset, assume_yes=options.arm, pose=pose
        )
        try:
            if options.log is not None:
                link.begin_log(options.log)
            with companions(robot, base_dir):
                code = session.run_session(
                    scene.run.duration_s, start_settings, Path(options.scene).stem
                )
        finally:
            robot.close()
    finally:
        link.close()
    if session.recording is not None and len(session.recording):
        trouble = session.recording.trouble_at_end
        run = api.Run(
            session.recording, Path(options.scene).name, base_dir=base_dir, trouble=trouble
        )
        write_run(outputs, options, run, exports)
    return code


class _Drive:
    """One drive from connecting to disarming; the calling thread sends the heartbeats.

    Parameters
    ----------
    wait : float
        Time limit for the robot to become ready, s.
    reset : bool
        Whether the reset sequence is sent to a robot that has stopped or reports a fault.
    assume_yes : bool
        Whether torque is switched on without confirmation.
    pose : PoseSource, optional
        Source of live poses, whose problems are reported.
    """

    def __init__(
        self,
        link: LinkClient,
        robot: LiveRobot,
        *,
        wait: float,
        reset: bool,
        assume_yes: bool,
        pose: PoseSource | None = None,
    ) -> None:
        from snakestudio.link.core.foreign_master import mention_foreign_master
        from snakestudio.link.messages import MEANINGS, LinkState
        from snakestudio.live.robot_start_target import RobotStartTarget

        # No imports once the robot is armed: they would take longer than its heartbeat
        # timeout.
        self._states = LinkState
        self._start_target_type = RobotStartTarget
        self._mention_foreign_master = mention_foreign_master
        self._unfit = [MEANINGS.index("stopped"), MEANINGS.index("fault")]
        self._link = link
        self._robot = robot
        self._wait = wait
        self._reset = reset
        self._assume_yes = assume_yes
        self._poses = None if pose is None else PoseWatch(pose)
        self._speaks = self._reset_sent = False
        self.recording: RunRecording | None = None
        self._start_target: RobotStartTarget | None = None
        # the last telemetry of streaming, kept for the summary at the end
        self._sent = link.telemetry()

    def run_session(self, duration: float, start_settings: StartSettings | None, name: str) -> int:
        """Connect, arm, stream and disarm; return the exit code.

        Raises `LinkError` if streaming did not start.
        """
        try:
            self._connect()
            self._get_ready()
            self._arm()
            self._stream(duration, start_settings, name)
            return self._disarm()
        except KeyboardInterrupt as error:
            code = error.code if isinstance(error, EndRequest) else 130
            # First of all: everything else takes time.
            self._robot.stop(
                "Stopped by Ctrl+C."
                if code == 130
                else "Stopped because the program was terminated."
            )
            print("\nsnakestudio: stopped.", file=sys.stderr)
            with suppress(KeyboardInterrupt):  # a second Ctrl+C skips the wait, not the run
                self._await(
                    lambda: self._state < self._states.ARMED or self._state == self._states.FAULT,
                    _STOP_S,
                )
            return code
        finally:
            self._release()

    @property
    def _state(self) -> int:
        return self._link.telemetry().state

    def _await(self, done: Callable[[], bool], limit: float) -> bool:
        """Send heartbeats until a condition holds; return False if it does not within `limit` (s)."""
        deadline = time.monotonic() + limit
        while not done():
            if time.monotonic() >= deadline:
                return False
            self._link.beat()
            telemetry = self._link.telemetry()
            if telemetry.state == self._states.STREAMING:
                self._sent = telemetry
            for event in self._link.events():
                _print_event(event)
                self._robot.note(event.text, event.severity)
            if self._poses is not None and (trouble := self._poses.poll(time.monotonic())):
                print(trouble, file=sys.stderr, flush=True)
                self._robot.note(trouble, "warning")
            time.sleep(_BEAT_S)
        return True

    def _connect(self) -> None:
        bus = self._link.profile.bus
        if not self._await(lambda: self._link.telemetry().time > 0.0, _START_S):
            raise LinkError(
                "The process of the link did not start in time. Check whether the computer is busy, and try again."
            )
        self._link.command("connect")
        if not self._await(lambda: self._state != self._states.DISCONNECTED, _CONNECT_S):
            why = self._link.telemetry().reason or "the bus did not open"
            where = f"{bus.interface} {bus.channel}: "
            raise LinkError(why if why.startswith(where) else where + why)
        print(f"Listening on {bus.interface} {bus.channel}.", flush=True)
        # listen without sending
        self._await(lambda: False, 2.0 * self._link.profile.timing.lost_s)

    def _get_ready(self) -> None:
        """Prepare the robot until it can be armed.

        Raises `LinkError`, with all reasons, if that takes too long.
        """
        deadline = time.monotonic() + self._wait
        printed = ""
        while not self._await(self._ready, min(1.0, max(0.0, deadline - time.monotonic()))):
            reasons = " ".join(self._robot.not_ready)
            # Reasons contain ages, which change all the time: only a change of the words is
            # printed.
            if _without_figures(reasons) != _without_figures(printed):
                printed = reasons
                print(f"Not ready: {reasons}", flush=True)
            if time.monotonic() >= deadline:
                raise LinkError(
                    "\n".join(
                        [f"The robot was not ready within {self._wait:g} s:", *self._reasons()]
                    )
                )

    def _ready(self) -> bool:
        """Return whether the robot can be armed; take the next step towards that."""
        telemetry = self._link.telemetry()
        if telemetry.state == self._states.LISTENING:
            # Frames sent alongside another program could stop its robot: wait without sending until
            # it is gone.
            if not self._speaks and not self._mention_foreign_master(telemetry.not_ready):
                self._speaks = True
                self._link.command("idle")
        elif (
            self._reset
            and telemetry.state == self._states.IDLE
            and (self._stopped(telemetry) or not telemetry.says_status)
        ):
            self._reset = False
            self._reset_sent = True
            self._robot.reset()
            return False  # wait for the answer
        return telemetry.state == self._states.IDLE and not self._robot.not_ready

    def _stopped(self, telemetry: Telemetry) -> bool:
        """Return whether a node reports that it has stopped or has a fault."""
        return any(meaning in self._unfit for meaning in telemetry.meaning.tolist())

    def _reasons(self) -> list[str]:
        """Return the reasons why the robot cannot be armed, with the remedy that this command offers."""
        reasons = list(self._robot.not_ready)
        if self._stopped(self._link.telemetry()) and not self._reset_sent:
            reasons.append("Give --reset to send the reset sequence of its profile.")
        return reasons

    def _arm(self) -> None:
        name = self._link.profile.name
        if self._assume_yes:
            print(
                f"*** ARMING {name.upper()} WITHOUT ASKING (--arm): its joints get torque NOW. ***",
                flush=True,
            )
        else:
            try:
                typed = input(
                    f"{name} is ready. Type ARM to switch torque on (Ctrl+C stops at any time): "
                )
            except EOFError:
                typed = ""
            if typed.strip() != "ARM":
                raise LinkError("The robot was not armed because ARM was not typed.")
        # No heartbeats were sent during typing, and the link does not arm before it receives one
        # again.
        if not self._await(lambda: not self._robot.not_ready, _READY_S):
            raise LinkError("\n".join(["The robot is no longer ready:", *self._reasons()]))
        self._robot.arm()
        final_states = (self._states.ARMED, self._states.FAULT)
        if (
            not self._await(lambda: self._state in final_states, _ARM_S)
            or self._state == self._states.FAULT
        ):
            raise LinkError(
                f"The robot was not armed: {self._why('it did not report that it is armed; see above')}"
            )
        print("Armed: the joints hold their positions.", flush=True)

    def _stream(self, duration: float, start_settings: StartSettings | None, name: str) -> None:
        if start_settings is None:
            self._robot.stream()
        else:
            self._start_target = self._start_target_type(
                self._robot, start_settings, name, lambda text: print(text, flush=True)
            )
            if not start_settings.wait:
                self._start_target.start.start_now()
        self._await_begin()
        self.recording = self._robot.recording
        print(f"Streaming for {duration:g} s; Ctrl+C stops.", flush=True)
        self._await(lambda: not self._robot.streaming, duration)

    def _await_begin(self) -> None:
        """Wait until the robot follows the first references; no limit while others may still send START."""
        others = self._start_target
        limit = 5.0 if others is None else float("inf")

        def decided() -> bool:
            ended = self._state != self._states.ARMED or (others is not None and others.over)
            return self._robot.streaming or ended

        self._await(decided, limit)
        if not self._robot.streaming and not self._await(lambda: self._robot.streaming, 1.0):
            # If the robot was stopped, that is why the others cannot start it.
            reason = self._link.telemetry().reason or (others.trouble if others is not None else "")
            raise LinkError(f"The robot did not start to move: {reason or 'see above.'}")

    def _release(self) -> None:
        """Notify the others of the end; send heartbeats to the robot until they answer."""
        others = self._start_target
        if others is None:
            return
        others.start.cancel()
        with suppress(KeyboardInterrupt):  # Ctrl+C skips the wait, but the run is still written
            self._await(lambda: others.over, _LET_GO_S)
            others.close()

    def _disarm(self) -> int:
        if self._state == self._states.STREAMING:
            self._robot.disarm()
            going = (self._states.STREAMING, self._states.ARMED)
            if not self._await(
                lambda: self._state not in going, _DISARM_S
            ):  # others may still stop it
                self._robot.stop("Stopped because it was not disarmed in time.")
        if self._state == self._states.FAULT or not self._link.alive:
            print_error(f"The robot was stopped: {self._why('the link ended')}")
            self._figures()
            return 3
        self._figures()
        return 0

    def _why(self, otherwise: str) -> str:
        return self._link.telemetry().reason or f"{otherwise}."

    def _figures(self) -> None:
        """Print statistics of the drive."""
        import math

        import numpy as np

        telemetry = self._link.telemetry()
        sent = self._sent
        recording = self.recording
        if recording is not None and len(recording):
            rows = recording.rows(0, len(recording))
            error = np.degrees(rows.joint_angle - rows.joint_angle_ref)
            rms = math.sqrt(float(np.nanmean(np.square(error))))
            most = float(np.nanmax(np.abs(error)))
            print(
                f"{recording.times[-1]:.1f} s, {len(recording)} rows; joint errors {rms:.2f}° RMS, {most:.1f}° max"
            )
        print(
            f"set-points: mean period {1e3 * sent.period_mean:.2f} ms, 99 % at most {1e3 * sent.lateness_p99:.2f} ms "
            f"late, longest gap {1e3 * sent.gap_max:.1f} ms, {sent.skipped} skipped; {telemetry.priority}"
        )
        print(
            f"frames: {telemetry.received} received, {telemetry.sent} sent, {telemetry.unreadable} unreadable,"
            f" {telemetry.unknown} unknown, {telemetry.error_frames} errors, {telemetry.send_errors} not sent;"
            f" bus load {100 * telemetry.bus_load:.0f} %"
        )
        if math.isfinite(self._robot.deviation):
            print(f"simulated twin: joint deviation {math.degrees(self._robot.deviation):.2f}° RMS")


class PoseWatch:
    """Watch live poses for problems, for commands without a window."""

    def __init__(self, source: PoseSource) -> None:
        self._source = source
        self._looked = self._told_at = -_TELL_S
        self._reported = ""
        self._bad = 0
        self._problem = ""

    def poll(self, now: float) -> str:
        """Return a message about new problems, at most every 5 s; "" if missing. `now` in s."""
        self._problem = (
            self._source.problem or self._problem
        )  # the next valid packet clears the problem
        if now - self._looked < _LOOK_S:
            return ""
        self._looked = now
        statistics = self._source.statistics
        bad = statistics.unreadable + statistics.jumps
        problem = self._problem
        new = bad > self._bad or (
            problem and _without_figures(problem) != _without_figures(self._reported)
        )
        if not self._source.problem:
            self._problem = ""
        if not problem or not new or now - self._told_at < _TELL_S:
            return ""
        more = bad - self._bad
        self._bad = bad
        self._reported = problem
        self._told_at = now
        return f"{problem} (Packets discarded so far: {bad}.)" if more else problem


def _without_figures(text: str) -> str:
    return "".join(mark for mark in text if not mark.isdigit())


def _print_event(event: LinkEvent) -> None:
    stream = sys.stderr if event.severity in ("warning", "error") else sys.stdout
    print(event.text, file=stream, flush=True)
