"""A robot that starts together with other instruments: who is far away may stop it always, and start it only if armed.

A START from the network begins to stream and does nothing else: torque is on already, because
somebody who stands beside the robot has armed it here. Otherwise it is refused, and the sender is
told so. A STOP is obeyed whenever it comes, by the fastest way, whether anything was started or
not. The port is open to this machine alone unless it is chosen to be open to others.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from snakestudio.errors import TriggerError
from snakestudio.live.live_robot import LiveRobot
from snakestudio.sync import ActionNames, SynchronizedStart, Together

log = logging.getLogger(__name__)

HERE = "127.0.0.1"

_BEGIN_S = 3.0

_WORDS = ActionNames("Start Streaming", "the robot was stopped")


def guarded(choices: Together) -> Together:
    """The same with the port that is waited on open to this machine alone, unless an address was chosen."""
    return choices if choices.wait_host else replace(choices, wait_host=HERE)


class RobotStartTarget:
    """Waits in a thread of its own until the robot is started from outside, and goes along with its run.

    Parameters
    ----------
    choices : Together
        With whom; `guarded` is applied to it.
    name : str
        Of the run, told to the others.
    tell : callable
        Gets sentences on what goes on, on the thread that waits.

    Attributes
    ----------
    trouble : str
        Why it has ended without a start, in a sentence; "" if it has not.
    """

    def __init__(
        self, live_robot: LiveRobot, choices: Together, name: str, tell: Callable[[str], None]
    ) -> None:
        self._live_robot = live_robot
        self._tell = tell
        self._begun_here = False
        self.trouble = ""
        self.start = SynchronizedStart(
            guarded(choices), name, self._begin, self._refuses, self._stop, _WORDS
        )
        self._thread = threading.Thread(target=self._work, name="snakestudio-together", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it waits and goes along no more."""
        return not self._thread.is_alive()

    def begun_here(self) -> None:
        """The robot was set moving by hand: the others start, too."""
        self._begun_here = True
        self.start.start_now()

    def close(self) -> None:
        """Give it up; a run that goes already goes on. Returns when it has ended."""
        self.start.cancel()
        self._thread.join()

    def _refuses(self) -> str:
        if reason := self._live_robot.refuses_start:
            self._tell(f"START was received and rejected because {reason}.")
        return reason

    def _permission(self) -> None:
        if not self._begun_here and (reason := self._live_robot.refuses_start):
            raise TriggerError(f"The robot was not started because {reason}.")

    def _begin(self) -> None:
        self._permission()
        if not self._begun_here:
            self._live_robot.stream()

    def _stop(self, peer: str) -> None:
        self._live_robot.stop(f"Stopped by STOP from {peer}.")

    def _work(self) -> None:
        try:
            with self.start as start:
                start.prepare()
                self._tell(start.doing)
                if not start.wait():
                    return
                self._permission()  # a marker of a stream does not ask for it, and nobody is to be fired at in vain
                start.start_run()
                self._note(start.notes)
                noted = len(start.notes)
                deadline = time.monotonic() + _BEGIN_S
                start.accompany(
                    lambda: not self._live_robot.streaming and time.monotonic() > deadline,
                    lambda: None,  # it was stopped when the line came
                    lambda: self._live_robot.recording,
                )
                self._note(start.notes[noted:])
        except TriggerError as error:
            self.trouble = str(error)
            self._tell(self.trouble)
        except Exception as error:
            # A defect must not leave a robot moving that whoever started it cannot stop any more.
            log.exception("starting together failed")
            self._live_robot.stop(
                "Stopped because synchronized start failed with an internal error. Please report it."
            )
            self.trouble = (
                f"Synchronized start failed with an internal error: {error!r}. Please report it."
            )
            self._tell(self.trouble)

    def _note(self, sentences: list[str]) -> None:
        for sentence in sentences:
            self._tell(sentence)
            self._live_robot.note(sentence)
