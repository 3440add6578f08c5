"""Steps of `drive`: it keeps sending signs of life while anything is slow, and stops the robot before all else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from snakestudio.cli.drive import PoseWatch, _Drive
from snakestudio.errors import LinkError, TriggerError
from snakestudio.link.messages import CommandKind, LinkState, Telemetry
from snakestudio.link.profile.schema import Timing
from snakestudio.live.live_robot import LiveRobot
from snakestudio.live.pose_source import StreamStatistics
from snakestudio.sync import ClockOffset, SentTrigger, StartSettings
from snakestudio.sync.protocol import TriggerKind
from tests.wording import naming

from .fake_link import FakeLink, profile
from .test_robot import SCENE

_SILENT = "The program that drives the robot gives no sign of life. Wait until it responds."
_PATIENCE_S = 20.0
_BEATS = 10
"""Number of signs of life that must continue while something is slow."""


class Link(FakeLink):
    """Link that counts signs of life, and can be slow to react to them.

    Attributes
    ----------
    beats : int
        Number of signs of life.
    awake : int
        Number of signs of life after which the link accepts commands.
    on_beat : callable
        Called at every sign of life.
    """

    def __init__(self) -> None:
        timing = Timing(set_point_rate_hz=10.0, lost_s=0.05)
        super().__init__(profile().model_copy(update={"timing": timing}), time.monotonic)
        self.beats = self.awake = 0
        self.on_beat: Callable[[], None] = lambda: None

    def beat(self) -> None:
        self.beats += 1
        self.on_beat()

    def telemetry(self) -> Telemetry:
        self.set(not_ready=() if self.beats >= self.awake else (_SILENT,))
        return super().telemetry()

    def beaten(self) -> bool:
        """Wait in another thread for signs of life; return False if there are none."""
        target = self.beats + _BEATS
        deadline = time.monotonic() + _PATIENCE_S
        while self.beats < target:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True


@pytest.fixture
def link() -> Link:
    return Link()


@pytest.fixture
def robot(link: Link) -> Iterator[LiveRobot]:
    live_robot = LiveRobot(link, SCENE, twin=False)
    yield live_robot
    live_robot.close()


def drive(link: Link, robot: LiveRobot, *, assume_yes: bool = True) -> _Drive:
    return _Drive(link, robot, wait=_PATIENCE_S, reset=False, assume_yes=assume_yes)  # type: ignore[arg-type]


def interrupt() -> None:
    raise KeyboardInterrupt


# ------------------------------------------------------------------------------------- the question


def test_slow_confirmation_still_arms(
    link: Link, robot: LiveRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typing interrupts the signs of life; the link needs some of them before it accepts a command."""

    def typed(_: str) -> str:
        link.awake = link.beats + 3
        return "ARM"

    monkeypatch.setattr("builtins.input", typed)
    assert drive(link, robot, assume_yes=False).run_session(0.1, None, "run") == 0
    assert [command.kind for command in link.commands if command.kind != "connect"] == [
        "arm",
        "stream",
        "disarm",
    ]


def test_obstacle_to_arming_during_the_wait_is_reported(
    link: Link, robot: LiveRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(_: str) -> str:
        link.awake = 1_000_000_000
        return "ARM"

    monkeypatch.setattr("builtins.input", typed)
    with pytest.raises(LinkError, match=r"is no longer ready:\nThe"):
        drive(link, robot, assume_yes=False).run_session(0.1, None, "run")
    assert "arm" not in [command.kind for command in link.commands]


def test_ctrl_d_does_not_arm(link: Link, robot: LiveRobot, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    with pytest.raises(LinkError, match="typed"):
        drive(link, robot, assume_yes=False).run_session(0.1, None, "run")
    assert "arm" not in [command.kind for command in link.commands]


# ------------------------------------------------------------------------------------------- others


class Instrument:
    """Peer for a start that takes the time of some signs of life for every answer."""

    def __init__(self, link: Link, events: list[str]) -> None:
        self._link = link
        self._events = events

    def __call__(self, host: str, port: int) -> Instrument:
        self._slowly("connected")
        return self

    def _slowly(self, what: str) -> None:
        self._events.append(
            what if self._link.beaten() else f"{what}, but nothing kept the robot alive"
        )

    def compare_clocks(self) -> ClockOffset | None:
        return None

    def fire(self, kind: TriggerKind, name: str) -> float:
        self._events.append(kind)
        return 0.0

    def acknowledged(self, kind: TriggerKind, sent: float) -> SentTrigger:
        self._slowly(f"{kind} answered")
        return SentTrigger(kind, sent, None, "instrument", None)

    def close(self) -> None: ...


@pytest.fixture
def events(link: Link, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Events of a peer that is started."""
    log: list[str] = []
    monkeypatch.setattr("snakestudio.sync.synchronized_start.TriggerSender", Instrument(link, log))
    return log


def test_robot_is_served_while_an_instrument_is_slow(
    link: Link, robot: LiveRobot, events: list[str]
) -> None:
    assert drive(link, robot).run_session(0.1, StartSettings(fire=True), "run") == 0
    assert sorted(events) == ["START", "START answered", "STOP", "STOP answered", "connected"]
    assert link.stops == []


def test_ctrl_c_stops_the_robot_before_other_programs(
    link: Link, robot: LiveRobot, events: list[str]
) -> None:
    stop = link.stop

    def stopped(reason: str) -> None:
        events.append(reason)
        link.on_beat = lambda: None
        stop(reason)

    link.stop = stopped  # type: ignore[method-assign, assignment]
    link.on_beat = lambda: interrupt() if "START answered" in events and robot.streaming else None
    assert drive(link, robot).run_session(60.0, StartSettings(fire=True), "run") == 130
    assert events == [
        "connected",
        "START",
        "START answered",
        "Stopped by Ctrl+C.",
        "STOP",
        "STOP answered",
    ]


def test_repeated_ctrl_c_skips_the_wait_and_saves_the_run(
    link: Link, robot: LiveRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is written after `run_session`."""
    stops: list[str] = []
    monkeypatch.setattr(link, "stop", stops.append)  # the robot does not report that it stopped
    link.on_beat = lambda: interrupt() if robot.streaming else None
    driven = drive(link, robot)
    try:
        code = driven.run_session(60.0, None, "run")
    except KeyboardInterrupt:  # which would end the test session
        pytest.fail("Ctrl+C came through")
    assert code == 130
    assert stops == ["Stopped by Ctrl+C."]
    assert driven.recording is not None


def test_stopped_robot_is_the_reason_for_no_start(
    link: Link, robot: LiveRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(host: str, port: int) -> None:
        link.set(state=LinkState.FAULT, reason="Somebody pulled the plug.")
        raise TriggerError("Nobody waits there.")

    monkeypatch.setattr("snakestudio.sync.synchronized_start.TriggerSender", refused)
    with pytest.raises(LinkError, match=r"Somebody.*pulled"):
        drive(link, robot).run_session(0.1, StartSettings(fire=True), "run")


def test_stop_ends_the_wait_for_disarming(
    link: Link, robot: LiveRobot, capsys: pytest.CaptureFixture[str]
) -> None:
    command = link.command

    def stopped_instead(kind: CommandKind, **values: str | int | float | bool) -> int:
        number = command(kind, **values)
        if kind == "disarm":
            link.set(state=LinkState.FAULT, reason="Stopped by STOP from afar.")
        return number

    link.command = stopped_instead  # type: ignore[method-assign]
    assert drive(link, robot).run_session(0.1, None, "run") == 3
    assert link.stops == []  # not stopped again because of the slow disarming
    assert "STOP from afar" in capsys.readouterr().err


# --------------------------------------------------------------------------------------- live poses


class _Poses:
    """Pose source with the problems that a test sets."""

    where = "nowhere"
    latest = None

    def __init__(self) -> None:
        self.problem = ""
        self.statistics = StreamStatistics()

    def begin(self, n_links: int) -> None: ...

    def close(self) -> None: ...


def test_malformed_poses_are_reported_immediately_then_rarely() -> None:
    source = _Poses()
    watch = PoseWatch(source)
    assert watch.poll(0.0) == ""
    # One datagram that cannot be read, followed by valid ones before the counts are polled.
    source.problem = "It cannot be read (no header): mend the sender."
    source.statistics = StreamStatistics(unreadable=1)
    assert watch.poll(0.1) == ""
    source.problem = ""
    messages = [watch.poll(0.1 * tick) for tick in range(2, 10)]
    assert [text for text in messages if text] == [naming("1.")]
    for tick in range(10, 120):
        source.problem = "It cannot be read (no header): mend the sender."
        source.statistics = StreamStatistics(unreadable=tick)
        messages.append(watch.poll(0.1 * tick))
    assert 3 <= len([text for text in messages if text]) <= 4  # every 5 s
    source.problem = "It sees no body."
    last = [text for text in (watch.poll(20.0 + 0.3 * tick) for tick in range(60)) if text]
    assert last == [naming("119.")]


def test_drive_reports_problems_of_its_poses(
    link: Link, robot: LiveRobot, capsys: pytest.CaptureFixture[str]
) -> None:
    source = _Poses()
    source.problem = "It cannot be read: mend the sender."
    source.statistics = StreamStatistics(unreadable=3)
    steps = _Drive(link, robot, wait=_PATIENCE_S, reset=False, assume_yes=True, pose=source)  # type: ignore[arg-type]
    assert steps.run_session(0.1, None, "run") == 0
    assert "3." in capsys.readouterr().err
