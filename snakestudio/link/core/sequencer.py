"""The arm, disarm, stop, zero and reset sequences of a profile, carried out step by step without ever blocking."""

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
    """Steps under way.

    Parameters
    ----------
    lenient : bool
        Whether it goes on when an expectation is not met in time, as a stop sequence must: the
        frames behind it are worth more than order.
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
        """When its wait or its timeout ends, s; infinity if it is over."""
        return self._until if not math.isnan(self._until) else math.inf

    def advance(
        self,
        now: float,
        send: Callable[[Step], None],
        all_say: Callable[[StatusMeaning, float], bool],
    ) -> Progress:
        """Do every step that can be done now.

        Parameters
        ----------
        now : float
            s.
        send : callable
            Sends the frames of a step.
        all_say : callable
            Whether all nodes have said so since a time (s): what they said before the last frame is
            no answer to it.

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
                if not all_say(step.expect, self._sent_at):
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
        """Send once more what was sent so far; where it stands, and how long it still waits there, stay as they are."""
        for step in self.steps[: self._index]:
            if step.wait_s is None and step.expect is None:
                send(step)

    def _waited(self, now: float, duration: float) -> bool:
        if math.isnan(self._until):
            self._until = now + duration
        return now >= self._until


class Task:
    """A sequence that is carried out for a purpose, and how long it waits for the robot's own word at its end.

    Parameters
    ----------
    kind : str
        Which of the profile's sequences.
    begin : float
        When it began, s.
    """

    def __init__(self, kind: TaskKind, steps: tuple[Step, ...], begin: float) -> None:
        self.kind = kind
        self.begin = begin
        self.sequence = Sequence(steps, lenient=kind == "stop")
        self._confirm_until = math.nan

    @property
    def words(self) -> str:
        """What it does: "The robot is being armed"."""
        return _WORDS[self.kind]

    def confirmed_in_time(self, now: float, timeout: float) -> bool:
        """Whether there is still time for the robot's word (s); the first call starts the clock."""
        if math.isnan(self._confirm_until):
            self._confirm_until = now + timeout
        return now < self._confirm_until
