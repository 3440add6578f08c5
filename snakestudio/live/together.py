"""A robot that starts together with other instruments: who is far away may stop it always, and start it only if armed.

A START from the network begins to stream and does nothing else: torque is on already, because somebody who stands
beside the robot has armed it here. Otherwise it is refused, and the sender is told so. A STOP is obeyed whenever it
comes, by the fastest way, whether anything was started or not. The port is open to this machine alone unless it is
chosen to be open to others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from snakestudio.errors import TriggerError
from snakestudio.live.robot import LiveRobot
from snakestudio.session.trigger import StartTogether, Together

__all__ = ["RobotTogether", "guarded"]

HERE = "127.0.0.1"

_BEGIN_S = 3.0


def guarded(choices: Together) -> Together:
    """The same with the port that is waited on open to this machine alone, unless an address was chosen."""
    return choices if choices.wait_host else replace(choices, wait_host=HERE)


class RobotTogether:
    """Waits in a thread of its own until the robot is started from outside, and goes along with its run.

    Parameters
    ----------
    robot : LiveRobot
    choices : Together
        With whom; `guarded` is applied to it.
    name : str
        Of the run, told to the others.
    tell : callable
        Gets sentences on what goes on, on the thread that waits.

    Attributes
    ----------
    start : StartTogether
    trouble : str
        Why it has ended without a start, in a sentence; "" if it has not.
    """

    def __init__(self, robot: LiveRobot, choices: Together, name: str, tell: Callable[[str], None]) -> None:
        self._robot, self._tell = robot, tell
        self.trouble = ""
        self.start = StartTogether(guarded(choices), name, self._begin, lambda: robot.refuses_start, self._stop)
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._work, name="snakestudio-together", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it waits and goes along no more."""
        return not self._thread.is_alive()

    def listening(self, timeout: float = 10.0) -> bool:
        """Wait until it waits for others, or has failed; whether it waits."""
        self._listens.wait(timeout)
        return not self.trouble

    def close(self) -> None:
        """Give it up; a run that goes already goes on. Returns when it has ended."""
        self.start.cancel()
        self._thread.join()

    def _begin(self) -> None:
        # A marker of a stream is not asked for its permission before it is here.
        if reason := self._robot.refuses_start:
            raise TriggerError(f"The robot was not started: {reason}.")
        self._robot.stream()

    def _stop(self, peer: str) -> None:
        self._robot.stop(f"Stopped by STOP from {peer}.")

    def _work(self) -> None:
        try:
            with self.start as start:
                start.arm()
                self._tell(start.doing)
                self._listens.set()
                if not start.wait():
                    return
                start.go()
                for sentence in start.notes:
                    self._tell(sentence)
                    self._robot.note(sentence)
                noted, deadline = len(start.notes), time.monotonic() + _BEGIN_S
                start.accompany(
                    lambda: not self._robot.streaming and time.monotonic() > deadline,
                    lambda: None,  # it was stopped when the line came
                    lambda: self._robot.recording,
                )
                for sentence in start.notes[noted:]:
                    self._tell(sentence)
                    self._robot.note(sentence)
        except TriggerError as error:
            self.trouble = str(error)
            self._tell(self.trouble)
        finally:
            self._listens.set()
