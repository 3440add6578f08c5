"""Synchronised start of a robot with other instruments: peers can always stop it, and start it only if armed.

A START from the network only starts streaming: torque must already be on, because an operator next
to the robot has armed it here. Otherwise START is rejected, and the sender gets the reason. A STOP
is executed at any time, immediately, whether anything was started or not. The port accepts packets
from this machine only, unless another address is chosen.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from snakestudio.errors import TriggerError
from snakestudio.live.live_robot import LiveRobot
from snakestudio.sync import ActionNames, StartSettings, SynchronizedStart

log = logging.getLogger(__name__)

HERE = "127.0.0.1"

_BEGIN_S = 3.0

_WORDS = ActionNames("Start Streaming", "the robot was stopped")


def guarded(choices: StartSettings) -> StartSettings:
    """Return the choices with a port that accepts only this machine, unless an address was chosen."""
    return choices if choices.wait_host else replace(choices, wait_host=HERE)


class RobotStartTarget:
    """A thread that waits until the robot is started from outside, and accompanies its run.

    Parameters
    ----------
    choices : StartSettings
        Peers and port; `guarded` is applied to them.
    name : str
        Name of the run, which is sent to the peers.
    report : callable
        Called with messages about the progress, on the thread.

    Attributes
    ----------
    trouble : str
        Message why the thread has ended without a start; "" otherwise.
    """

    def __init__(
        self,
        live_robot: LiveRobot,
        choices: StartSettings,
        name: str,
        report: Callable[[str], None],
    ) -> None:
        self._live_robot = live_robot
        self._report = report
        self._started_here = False
        self.trouble = ""
        self.start = SynchronizedStart(
            guarded(choices), name, self._begin, self._refuses, self._stop, _WORDS
        )
        self._thread = threading.Thread(target=self._work, name="snakestudio-together", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    def on_started_here(self) -> None:
        """Start the peers because streaming was started by hand."""
        self._started_here = True
        self.start.start_now()

    def close(self) -> None:
        """Cancel waiting and end the thread; a run in progress continues."""
        self.start.cancel()
        self._thread.join()

    def _refuses(self) -> str:
        if reason := self._live_robot.refuses_start:
            self._report(f"START was received and rejected because {reason}.")
        return reason

    def _check_permission(self) -> None:
        if not self._started_here and (reason := self._live_robot.refuses_start):
            raise TriggerError(f"The robot was not started because {reason}.")

    def _begin(self) -> None:
        self._check_permission()
        if not self._started_here:
            self._live_robot.stream()

    def _stop(self, peer: str) -> None:
        self._live_robot.stop(f"Stopped by STOP from {peer}.")

    def _work(self) -> None:
        try:
            with self.start as start:
                start.prepare()
                self._report(start.doing)
                if not start.wait():
                    return
                # A marker of a stream starts without a check, and peers must not start for nothing.
                self._check_permission()
                start.start_run()
                self._note(start.notes)
                noted = len(start.notes)
                deadline = time.monotonic() + _BEGIN_S
                start.accompany(
                    lambda: not self._live_robot.streaming and time.monotonic() > deadline,
                    lambda: None,  # `_stop` has already stopped the robot
                    lambda: self._live_robot.recording,
                )
                self._note(start.notes[noted:])
        except TriggerError as error:
            self.trouble = str(error)
            self._report(self.trouble)
        except Exception as error:
            # The robot must not keep moving if the peer that started it cannot stop it any more.
            log.exception("synchronised start failed")
            self._live_robot.stop(
                "Stopped because Start Together failed with an internal error. Please report it."
            )
            self.trouble = (
                f"Start Together failed with an internal error: {error!r}. Please report it."
            )
            self._report(self.trouble)

    def _note(self, messages: list[str]) -> None:
        for message in messages:
            self._report(message)
            self._live_robot.note(message)
