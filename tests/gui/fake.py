"""Stand-ins for a running session: a recording made of formulas and a session controller that plays it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.export.report import Report
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.robot.joint_axes import in_a_row
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.recording import RunRecording

ENERGIES = ("kinetic", "potential", "work_actuator", "work_friction")


def make_rows(scene: Scene, first: int, stop: int) -> Rows:
    """Rows first to stop of a run in which all values are formulas of time: pushes travel along the body."""
    n = scene.robot.n_links
    k = stop - first
    time = np.arange(first, stop) / scene.run.log_rate_hz
    t = time[:, None]
    link = np.arange(n)
    joint = np.arange(n - 1)
    gait = scene.gait
    phase = gait.omega * t + joint * gait.phase_shift
    reference = gait.amplitude * np.sin(phase) + gait.offset
    angle = gait.amplitude * np.sin(phase - 0.03) + gait.offset
    wave = gait.pitch
    pitch_phase = wave.omega * t + joint * wave.phase_shift + wave.phase
    pitch_reference = wave.amplitude * np.sin(pitch_phase) + wave.offset
    pitch = wave.amplitude * np.sin(pitch_phase - 0.03) + wave.offset
    heading = np.cumsum(np.concatenate([np.zeros((k, 1)), angle], axis=1), axis=1)
    length = scene.robot.link_length_m
    x = 0.16 * t + np.cumsum(length * np.cos(heading), axis=1)
    y = np.cumsum(length * np.sin(heading), axis=1)
    pose = np.zeros((k, n, 7))
    twist = np.zeros((k, n, 6))
    pose[:, :, 0] = x
    pose[:, :, 1] = y
    pose[:, :, 2] = 0.0525
    if scene.model.kind != "planar_nonsmooth":
        pose[:, :, 2] += 0.01 * (1 + np.sin(2 * t - link))
    pose[:, :, 3] = np.cos(heading / 2)
    pose[:, :, 6] = np.sin(heading / 2)
    twist[:, :, 0] = 0.16 + 0.02 * np.sin(3 * t + link)
    impulse = np.zeros((k, n, 3))
    # The integral of 20 (1 + sin(2 t - link)): a force of 0 to 40 N with a known mean over any
    # interval.
    impulse[:, :, 1] = 20 * (t - (np.cos(2 * t - link) - np.cos(link)) / 2)
    ground = np.zeros((k, n, 3))
    ground[:, :, 0] = -1.3 * t
    ground[:, :, 2] = 6.69 * t
    step = np.arange(first, stop)
    rate = gait.amplitude * gait.omega * np.cos(phase)
    pitch_rate = wave.amplitude * wave.omega * np.cos(pitch_phase)

    def both(yaw: NDArray[np.float64], pitch: NDArray[np.float64]) -> NDArray[np.float64]:
        return in_a_row({"yaw": yaw, "pitch": pitch}, scene.body.axes)

    return Rows(
        time=time,
        link_pose=pose,
        link_twist=twist,
        joint_angle=both(angle, pitch),
        joint_rate=both(rate, pitch_rate),
        joint_angle_ref=both(reference, pitch_reference),
        joint_rate_ref=both(rate, pitch_rate),
        joint_torque=both(800 * (reference - angle), 800 * (pitch_reference - pitch)),
        impulse_obstacle=impulse,
        impulse_ground=ground,
        contacts_closed=np.full(k, 3, np.int32),
        energy=np.stack([0.1 + 0.05 * np.sin(time), 0 * time, 2.1 * time, -2.0 * time], axis=1),
        solver_residual=10.0 ** (-10 + 0.8 * np.sin(5 * time)),
        solver_iterations=step * 92,
        solver_unconverged=np.zeros(k, np.int64),
        steps=step * 40,
        extra=np.zeros((k, 0)),
        strain=np.zeros((k, 0, 6)),
        wrench=np.zeros((k, 0, 6)),
        hold=np.zeros((k, 0, 14)),
        contacts=ContactRows.none(k),
    )


def make_recording(scene: Scene, n_rows: int, extra: tuple[str, ...] = ()) -> RunRecording:
    """A recording of `n_rows` rows; in space the joints also pitch, and the links rise by up to 2 cm.

    Column k of `extra` is (k + 1) sin(t).
    """
    recording = RunRecording(scene, Schema(scene.robot.n_links, scene.body.axes, ENERGIES, extra))
    for first, stop in _blocks(0, n_rows):
        rows = make_rows(scene, first, stop)
        columns = np.outer(np.sin(rows.time), np.arange(1.0, len(extra) + 1))
        recording.append(replace(rows, extra=columns))
    return recording


def _blocks(first: int, stop: int) -> Iterator[tuple[int, int]]:
    while first < stop:
        yield first, min(stop, first + 4096)
        first += 4096


class FakeStatus:
    """Stand-in for `session.Status` with writable values."""

    def __init__(self) -> None:
        self.state = "paused"
        self.message = ""
        self.progress = 0.0
        self.seconds_left: float | None = None
        self.engine = ""
        self.queued = self.cancelled = False
        self.problems: tuple[object, ...] = ()
        self.pending: tuple[str, ...] = ()


class FakeSessionController(QObject):
    """The part of the session controller that docks and plots use, without a session."""

    status_changed = Signal(object)
    finished = Signal(float)
    failed = Signal(str, object)
    frame = Signal()
    cursor_changed = Signal()
    recording_changed = Signal()
    source_changed = Signal()
    replay_changed = Signal()
    source = "simulation"
    base_dir = None
    replay = None

    def __init__(self, recording: RunRecording | None = None) -> None:
        super().__init__()
        self.recording = recording
        self.status = FakeStatus()
        self.cursor: int | None = None

    @property
    def running(self) -> bool:
        return self.status.state == "running"

    @property
    def live(self) -> bool:
        return self.cursor is None

    @property
    def displayed(self) -> Snapshot | None:
        if self.recording is None or not len(self.recording):
            return None
        return self.recording.snapshot(-1 if self.cursor is None else self.cursor)

    def set_cursor(self, index: int | None) -> None:
        if index is not None and self.recording is not None:
            index = max(0, min(index, len(self.recording) - 1))
        if index != self.cursor:
            self.cursor = index
            self.cursor_changed.emit()
            self.frame.emit()

    def set_recording(self, recording: RunRecording | None) -> None:
        self.recording = recording
        self.cursor = None
        self.recording_changed.emit()
        self.cursor_changed.emit()
        self.frame.emit()

    def set_status(self, **values: object) -> None:
        for name, value in values.items():
            setattr(self.status, name, value)
        self.status_changed.emit(self.status)

    def append(self, n_rows: int) -> None:
        assert self.recording is not None
        first = len(self.recording)
        self.recording.append(make_rows(self.recording.scene, first, first + n_rows))
        self.frame.emit()


class FakeExporter(QObject):
    """Receives the reports that a panel exports."""

    changed = Signal()
    finished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.busy = False
        self.error = ""
        self.asked: list[tuple[Report, str]] = []

    def ask_report(self, report: Report, suffix: str, parent: QWidget | None = None) -> bool:
        self.asked.append((report, suffix))
        return True
