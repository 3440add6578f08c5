"""Continuation of a recorded run from any time: its full state is restored, or recomputed if it was not saved.

The continued run equals the uninterrupted one bit for bit if program and machine are the same. This
is checked, never assumed: the reached state is compared with the recorded row, and differences are
reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from snakestudio.errors import PhysicsError, SceneError, StateError
from snakestudio.model.events import DRIVEN, Change, RunEvent
from snakestudio.model.pull import Pull, acting
from snakestudio.model.recording import Recording, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.runner import Runner

Progress = Callable[[float], bool]
Make = Callable[[Scene, Schema], RunRecording]

MOST_STATES = 300
"""Largest number of states that are copied from the recorded run."""


@runtime_checkable
class KeepsStates(Protocol):
    """Recording with saved full states of its run."""

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """Return the last state up to `time` and its time, s; None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Continuation:
    """Run in the state of a recorded one."""

    runner: Runner
    """Runner whose recording begins with the rows of the recorded run."""

    time: float
    """Current time of the run, s."""

    exact: bool
    """Whether its state equals the recorded one to the bit."""

    notes: tuple[str, ...]
    """Notes, as sentences: reasons for recomputation, and differences from the recorded state. Usually
    empty."""


def continue_run(
    recording: Recording,
    time: float,
    base_dir: Path | None = None,
    name: str = "",
    make: Make = RunRecording,
    progress: Progress | None = None,
) -> Continuation | None:
    """Return a run that continues from the recorded row nearest to `time`.

    Raises `StateError`, `SceneError` or `PhysicsError` if the run cannot be continued; nothing is
    changed then.

    Parameters
    ----------
    time : float
        Time to continue from, s.
    base_dir : path, optional
        Folder of the relative paths in the scene.
    name : str
        Name of the recorded run, for the events of the new run.
    make : callable
        Creates the recording into which the previous rows are copied.
    progress : callable, optional
        Receives the finished fraction; returns False to cancel.

    Returns
    -------
    Continuation or None
        None if it was cancelled.
    """
    if not len(recording):
        raise StateError("There is nothing to continue from: the run has no rows.")
    index = recording.index_at(time)
    row = recording.rows(index, index + 1)
    at = float(row.time[0])
    target = int(row.steps[0])
    report = progress or (lambda fraction: True)
    driven = min((event.time for event in recording.events if event.text == DRIVEN), default=at)
    if driven < at:
        raise StateError(
            f"This run cannot be continued from {at:g} s, because a program drove the joints from "
            f"{driven:g} s, and its "
            f"targets are not recorded. Choose {driven:g} s or an earlier time."
        )
    runner = Runner(recording.scene, base_dir)
    if _columns(runner.recording.schema) != _columns(recording.schema):
        raise StateError(
            "This run cannot be continued, because another version of SnakeStudio or a robot recorded it. "
            "Open its scene and run it again."
        )
    since, notes = _restore(runner, recording, at)
    if not _advance(runner, recording, since, at, target, lambda fraction: report(0.6 * fraction)):
        return None
    runner.pull(None)  # release a pull of that time
    runner.record_events()
    apart = _apart(runner, row)
    if apart is not None:
        notes.append(_why(recording, at, apart))
    # Recomputed rows belong to the following ones, even if they differ from the recorded rows.
    rows_of = recording if since is not None else runner.recording
    copied = _copied(
        rows_of, rows_of.index_at(at), make, lambda fraction: report(0.6 + 0.4 * fraction)
    )
    if copied is None:
        return None
    runner.recording.close()
    runner.record_to(copied)
    text = f"Continued from {name}" if name else "Continued from here"
    runner.recording.add_event(
        RunEvent(at, "continued", " ".join((f"{text}.", *notes)) if notes else text)
    )
    return Continuation(runner, at, apart is None, tuple(notes))


def _columns(schema: Schema) -> tuple[object, ...]:
    return schema.n_links, schema.axes, schema.energy, schema.extra, schema.sections, schema.n_holds


def _restore(runner: Runner, recording: Recording, time: float) -> tuple[float | None, list[str]]:
    """Restore the last saved state up to `time`; return its time (s; None if none can be used) and notes."""
    before = time
    refused = "no state of it was saved"
    while isinstance(recording, KeepsStates):
        candidate = recording.checkpoint_before(before)
        if candidate is None:
            break
        try:
            runner.restore(candidate[1], recording.scene_at(candidate[0]), candidate[0])
        except StateError as error:
            refused = str(error).rstrip(".")
            before = float(np.nextafter(candidate[0], -np.inf))
            if before < 0.0:
                break
        else:
            return candidate[0], []
    if time <= 0.0:
        return None, []
    if (first := float(recording.times[0])) > 0.0:
        raise StateError(
            f"This run cannot be continued, because it is recorded from {first:g} s and {refused}. "
            "Run its scene from the start."
        )
    return None, [f"The run was recomputed from its start: {refused[:1].lower()}{refused[1:]}."]


def _advance(
    runner: Runner,
    recording: Recording,
    since: float | None,
    time: float,
    target: int,
    tell: Progress,
) -> bool:
    """Advance to step `target` with changes after `since` (s) and up to `time`; return False if cancelled."""
    step = runner.scene.solver.step_s
    begun = runner.engine.step_count
    # A pull from `time` does not act on rows up to it, and a pull from the time of a state is
    # not part of the state.
    changes = [
        change
        for change in recording.changes
        if change.time <= time and (since is None or change.time > since)
    ]
    pulls = [
        pull
        for pull in recording.pulls
        if pull.time < time and (since is None or pull.time >= since)
    ]
    edits: tuple[Change | Pull, ...] = (*changes, *pulls)
    pending = sorted(edits, key=lambda edit: edit.time)
    if since is not None:
        runner.restore_pull(acting(recording.pulls, float(np.nextafter(since, -np.inf))))
    while True:
        while pending and pending[0].time <= runner.time + 0.5 * step:
            if refused := runner.repeat(pending.pop(0)):
                raise SceneError(
                    f"{', '.join(refused)} cannot change during a run, but changed in this one. Run its scene again."
                )
        missing = target - runner.engine.step_count
        if missing <= 0:
            return True
        if not tell(1.0 - missing / max(1, target - begun)):
            return False
        if pending:
            missing = min(missing, max(1, round(pending[0].time / step) - runner.engine.step_count))
        if runner.finished:
            runner.extend()
        report = runner.advance(min(missing, 50 * runner.scene.steps_per_period))
        if not report.ok:
            raise PhysicsError(
                f"The run could not be recomputed up to {time:.3f} s. {report.message}"
            )


def _apart(runner: Runner, row: Rows) -> float | None:
    """Largest distance of the links from their recorded positions, m; None if poses and velocities agree to the bit."""
    now = runner.latest
    same = (
        np.array_equal(now.link_pose, row.link_pose[0])
        and np.array_equal(now.link_twist, row.link_twist[0])
        and np.array_equal(now.joint_angle, row.joint_angle[0])
    )
    return None if same else float(np.abs(now.link_pose[:, :3] - row.link_pose[0, :, :3]).max())


def _why(recording: Recording, time: float, apart: float) -> str:
    """Return the sentence that the state differs from the recorded one, with the possible cause."""
    by_hand = [
        event for event in recording.events if event.time <= time and "by hand" in event.text
    ]
    if recording.pulls:  # these are repeated
        by_hand = [event for event in by_hand if "pulled" not in event.text]
    if any(event.kind == "note" for event in by_hand):
        why = "the robot was moved by hand, which cannot be repeated"
    elif any(event.kind == "continued" and event.time <= time for event in recording.events):
        why = "it was continued from another run"
    else:
        why = "another version of the program or another machine recorded it"
    return f"Its state differs from the recorded one (links by up to {1e3 * apart:.2g} mm): {why}."


def _copied(recording: Recording, index: int, make: Make, report: Progress) -> RunRecording | None:
    """Copy rows up to `index`, with their events and changes, to a new recording; None if cancelled."""
    copied = make(recording.scene, recording.schema)
    end = float(recording.times[index])
    changes = [change for change in recording.changes if change.time <= end]
    pulls = [pull for pull in recording.pulls if pull.time < end]
    events = sorted(
        (event for event in recording.events if event.time <= end), key=lambda event: event.time
    )
    states = _states(recording, end)
    done = 0
    for rows in recording.chunks():
        part = rows if done + len(rows) <= index + 1 else rows.slice(0, index + 1 - done)
        until = float(part.time[-1])
        while changes and changes[0].time <= until:
            change = changes.pop(0)
            copied.add_change(change.time, change.values, recording.scene_at(change.time))
        copied.append(part)
        while pulls and pulls[0].time <= until:
            copied.add_pull(pulls.pop(0))
        while events and events[0].time <= until:
            copied.add_event(events.pop(0))
        while states and states[0][0] <= until:
            copied.add_checkpoint(*states.pop(0))
        done += len(part)
        if done > index:
            break
        if not report(done / (index + 1)):
            copied.close()
            return None
    return copied


def _states(recording: Recording, end: float) -> list[tuple[float, bytes]]:
    """Return the saved states up to `end` (s), evenly thinned."""
    states: list[tuple[float, bytes]] = []
    before = end
    while isinstance(recording, KeepsStates) and before >= 0.0:
        saved = recording.checkpoint_before(before)
        if saved is None:
            break
        states.append(saved)
        before = min(saved[0] - end / MOST_STATES, float(np.nextafter(saved[0], -np.inf)))
    return states[::-1]
