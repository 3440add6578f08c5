"""Going on from any moment of a recorded run: its full state is taken up again, or computed again if it was not kept.

The continued run equals the uninterrupted one bit for bit where program and machine are the same.
Whether they are is looked at, never assumed: the state that was reached is held against the
recorded row, and what differs is said.
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
"""Of the states of the run before, at most so many are copied."""


@runtime_checkable
class KeepsStates(Protocol):
    """A recording that full states of its run are kept with."""

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """The last state up to `time` with its own time, s; None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Continuation:
    """A run that stands where another one was."""

    runner: Runner
    """Its recording begins with the rows of the other run."""

    time: float
    """Where it stands, s."""

    exact: bool
    """Whether that is the recorded state to the bit."""

    notes: tuple[str, ...]
    """What is to be known: that it was computed again, and why; by how much it differs. Sentences;
    usually none."""


def continue_run(
    recording: Recording,
    time: float,
    base_dir: Path | None = None,
    name: str = "",
    make: Make = RunRecording,
    progress: Progress | None = None,
) -> Continuation | None:
    """A run that goes on from the recorded row nearest to `time`.

    Raises `StateError`, `SceneError` or `PhysicsError` if this run cannot be gone on with; nothing
    was changed.

    Parameters
    ----------
    time : float
        s.
    base_dir : path, optional
        What relative paths in the scene are relative to.
    name : str
        What the run before is called, for the new run's list of events.
    make : callable
        Makes the recording that the rows before are copied into.
    progress : callable, optional
        Gets the finished fraction; False stops.

    Returns
    -------
    Continuation or None
        None if it was stopped.
    """
    if not len(recording):
        raise StateError("There is nothing to continue from: the run has no rows.")
    index = recording.index_at(time)
    row = recording.rows(index, index + 1)
    at = float(row.time[0])
    target = int(row.steps[0])
    tell = progress or (lambda fraction: True)
    driven = min((event.time for event in recording.events if event.text == DRIVEN), default=at)
    if driven < at:
        raise StateError(
            f"This run cannot be continued from {at:g} s: a program drove the joints from {driven:g} s on, and its "
            f"targets are not recorded. Choose {driven:g} s or an earlier time."
        )
    runner = Runner(recording.scene, base_dir)
    if _columns(runner.recording.schema) != _columns(recording.schema):
        raise StateError(
            "This run cannot be continued: it was recorded by another version of SnakeStudio, or by a robot. "
            "Open its scene and run it anew."
        )
    since, notes = _restore(runner, recording, at)
    if not _advance(runner, recording, since, at, target, lambda fraction: tell(0.6 * fraction)):
        return None
    runner.pull(None)  # the hand that may have pulled then is not there any more
    runner.note_events()
    apart = _apart(runner, row)
    if apart is not None:
        notes.append(_why(recording, at, apart))
    # Rows that were computed again belong to what comes next, even where they differ from the
    # recorded ones.
    rows_of = recording if since is not None else runner.recording
    copied = _copied(
        rows_of, rows_of.index_at(at), make, lambda fraction: tell(0.6 + 0.4 * fraction)
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
    """Take up the last state kept up to `time`: its time (s), None if none can be used; and what is to be said."""
    look = time
    refused = "no state of it was kept"
    while isinstance(recording, KeepsStates):
        found = recording.checkpoint_before(look)
        if found is None:
            break
        try:
            runner.restore(found[1], recording.scene_at(found[0]), found[0])
        except StateError as error:
            refused = str(error).rstrip(".")
            look = float(np.nextafter(found[0], -np.inf))
            if look < 0.0:
                break
        else:
            return found[0], []
    if time <= 0.0:
        return None, []
    if (first := float(recording.times[0])) > 0.0:
        raise StateError(
            f"This run cannot be continued: it is recorded from {first:g} s on, and {refused}. "
            "Run its scene from the start."
        )
    return None, [f"The run was computed again from its start: {refused[:1].lower()}{refused[1:]}."]


def _advance(
    runner: Runner,
    recording: Recording,
    since: float | None,
    time: float,
    target: int,
    tell: Progress,
) -> bool:
    """Go to step `target`, with what was done after `since` (s) and up to `time`; False if it was stopped."""
    step = runner.scene.solver.step_s
    begun = runner.engine.step_count
    # A pull from `time` on acts on no row up to it, and the one from the time of a state on is not
    # in that state.
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
                    f"{', '.join(refused)}: this cannot change while a run goes, but did in this one."
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
                f"The way to {time:.3f} s could not be computed again. {report.message}"
            )


def _apart(runner: Runner, row: Rows) -> float | None:
    """By how much the links are elsewhere than recorded, m; None if poses and velocities agree to the bit."""
    now = runner.latest
    same = (
        np.array_equal(now.link_pose, row.link_pose[0])
        and np.array_equal(now.link_twist, row.link_twist[0])
        and np.array_equal(now.joint_angle, row.joint_angle[0])
    )
    return None if same else float(np.abs(now.link_pose[:, :3] - row.link_pose[0, :, :3]).max())


def _why(recording: Recording, time: float, apart: float) -> str:
    """That the state differs from the recorded one, and what may have made it so."""
    by_hand = [
        event for event in recording.events if event.time <= time and "by hand" in event.text
    ]
    if recording.pulls:  # these are repeated
        by_hand = [event for event in by_hand if "pulled" not in event.text]
    if any(event.kind == "note" for event in by_hand):
        why = "the robot was moved by hand, which cannot be repeated"
    elif any(event.kind == "continued" and event.time <= time for event in recording.events):
        why = "it went on from another run"
    else:
        why = "it was recorded by another version of the program or on another machine"
    return f"Its state differs from the recorded one (links by up to {1e3 * apart:.2g} mm): {why}."


def _copied(recording: Recording, index: int, make: Make, tell: Progress) -> RunRecording | None:
    """Rows up to `index` with what was noted until then, in a recording of their own; None if it was stopped."""
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
        if not tell(done / (index + 1)):
            copied.close()
            return None
    return copied


def _states(recording: Recording, end: float) -> list[tuple[float, bytes]]:
    """States kept up to `end` (s), evenly thinned out."""
    states: list[tuple[float, bytes]] = []
    look = end
    while isinstance(recording, KeepsStates) and look >= 0.0:
        found = recording.checkpoint_before(look)
        if found is None:
            break
        states.append(found)
        look = min(found[0] - end / MOST_STATES, float(np.nextafter(found[0], -np.inf)))
    return states[::-1]
