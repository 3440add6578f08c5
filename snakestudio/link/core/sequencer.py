"""The arm, disarm, stop, zero and reset sequences of a profile, carried out step by step without blocking."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from snakestudio.link.profile.schema import StatusMeaning, Step

Progress = Literal["running", "done", "failed"]

TaskKind = Literal["arm", "disarm", "stop", "zero", "reset"]

_WORDS: dict[TaskKind, str] = {
    "arm": "The robot is being armed",
    "disarm": "The robot is being disarmed",
    "stop": "The robot is being stopped",
    "zero": "The joints are being zeroed",
    "reset": "The robot is being reset",
}


class Sequence:
    """A running sequence of steps.

    Parameters
    ----------
    lenient : bool
        Whether it continues if an expectation is not met in time, as a stop sequence must, because
        the frames after it matter more than the order.
    """

    def __init__(self, steps: tuple[Step, ...], *, lenient: bool = False) -> None:
        self.steps = steps
        self._lenient = lenient
        self._index = 0
        self._until = math.nan
        self._sent_at = math.nan
        self.missed: StatusMeaning | None = None
        """The expectation that was not met in time."""

    @property
    def next(self) -> float:
        """End of its wait or timeout, s; infinity if the sequence has ended."""
        return self._until if not math.isnan(self._until) else math.inf

    def advance(
        self,
        now: float,
        send: Callable[[Step], None],
        all_report: Callable[[StatusMeaning, float], bool],
    ) -> Progress:
        """Carry out all steps that are possible now.

        Parameters
        ----------
        now : float
            s.
        send : callable
            Sends the frames of a step.
        all_report : callable
            Returns whether all nodes have reported a status since a time (s): a status before the
            last frame is not an answer to it.

        Returns
        -------
        {"running", "done", "failed"}
        """
        if math.isnan(self._sent_at):
            self._sent_at = now
        while self._index < len(self.steps):
            step = self.steps[self._index]
            if step.wait_s is not None:
                if not self._waited(now, step.wait_s):
                    return "running"
            elif step.expect is not None:
                if not all_report(step.expect, self._sent_at):
                    if not self._waited(now, step.timeout_s):
                        return "running"
                    self.missed = step.expect
                    if not self._lenient:
                        return "failed"
            else:
                send(step)
                self._sent_at = now
            self._index += 1
            self._until = math.nan
        return "done"

    def again(self, send: Callable[[Step], None]) -> None:
        """Send all frames up to the current step again; the current step and its remaining wait do not change."""
        for step in self.steps[: self._index]:
            if step.wait_s is None and step.expect is None:
                send(step)

    def _waited(self, now: float, duration: float) -> bool:
        if math.isnan(self._until):
            self._until = now + duration
        return now >= self._until


class Task:
    """A running sequence with its purpose, and the wait for the robot's confirmation at its end.

    Parameters
    ----------
    kind : str
        Name of the sequence in the profile.
    begin : float
        Time of its begin, s.
    """

    def __init__(self, kind: TaskKind, steps: tuple[Step, ...], begin: float) -> None:
        self.kind = kind
        self.begin = begin
        self.sequence = Sequence(steps, lenient=kind == "stop")
        self._confirm_until = math.nan

    @property
    def description(self) -> str:
        """Description: "The robot is being armed"."""
        return _WORDS[self.kind]

    def confirmed_in_time(self, now: float, timeout: float) -> bool:
        """Return whether there is still time for the confirmation at `now` (s); the first call starts the timeout."""
        if math.isnan(self._confirm_until):
            self._confirm_until = now + timeout
        return now < self._confirm_until
