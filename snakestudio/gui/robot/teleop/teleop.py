"""Teleoperation mode: while it is on, keys and gamepads are the only source of commands, 50 times a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.errors import UsageError
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.robot.teleop.gamepad import Gamepads
from snakestudio.gui.robot.teleop.inputs import Input
from snakestudio.gui.robot.teleop.keys import Keys
from snakestudio.gui.robot.teleop.mapping import (
    DEFAULT,
    Function,
    InputMap,
    References,
    dump_map,
    parse_map,
)
from snakestudio.model.teleop import NEUTRAL, OWN_GAIT, TeleopCommand

PERIOD_MS = 20

_FINE = 2
"""Decimals of commands, so that a trembling stick does not cause a new command every time."""

_MAPPING = Setting(
    "teleop/mapping", "", "Key mapping", "Keys and gamepad axes of teleoperation", remembered=True
)


class Teleop(QObject):
    """Teleoperation mode and its command; independent of what follows the command.

    If an input is lost (the keyboard, a gamepad), the command is neutral immediately; inputs count
    again only after all of them have been released.

    Parameters
    ----------
    window : QWidget
        Window whose keyboard is used.
    gaits : callable
        Returns the names of the selectable gaits, the scene's gait first.
    settings : QSettings
        Stores the mapping.

    Signals
    -------
    steered(command: TeleopCommand)
        Emitted 50 times a second while the mode is on, and once, at rest, when it ends.
    stop_requested(reason: str)
        A stop was pressed, or something that driving depends on was lost: a live robot must be
        stopped.
    changed()
        Mode, mapping, devices or notice changed.
    """

    steered = Signal(object)
    stop_requested = Signal(str)
    changed = Signal()

    def __init__(
        self, window: QWidget, gaits: Callable[[], Sequence[str]], settings: QSettings
    ) -> None:
        super().__init__(window)
        self._gaits = gaits
        self._settings = settings
        self._window = window
        self.mapping = self._recalled()
        self.keys = Keys(window, self)
        self.keys.set_mapped(self.mapping.keys)
        self.keys.left.connect(lambda: self.set_on(False))
        self.gamepads = Gamepads(self)
        self.gamepads.connected.connect(self._on_found)
        self.gamepads.lost.connect(self._on_lost)
        self.gamepads.refused.connect(self.changed)
        self.on = False
        self.command = NEUTRAL
        self.notice = ""
        """Reason why nothing moves although an input is held, or what was lost; empty if all is well."""
        self._resting = True  # waits until all inputs are released
        self._pressed: frozenset[Function] = frozenset()
        self._then = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self.tick)
        window.installEventFilter(self)

    # --- mode -------------------------------------------------------------------------------------

    def set_on(self, on: bool) -> None:
        """Start or end teleoperation; the robot is brought to rest at its end."""
        if on == self.on:
            return
        self.on = on
        self.keys.set_on(on)
        self.gamepads.want(self, on)
        self.notice = ""
        self._resting = True
        self._pressed = frozenset()
        self._then = time.monotonic()
        if on:
            self._timer.start()
        else:
            self._timer.stop()
            self._emit_command(self.command.stilled())
        self.changed.emit()

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self.set_on(False)
        self.gamepads.close()

    def choose_gait(self, name: str) -> None:
        """Switch to a gait by its name."""
        if name in self._gaits():
            self.command = replace(self.command, gait=None if name == OWN_GAIT else name)
            self.changed.emit()

    @property
    def waiting(self) -> bool:
        """Whether inputs are ignored until all of them are released."""
        return self._resting

    @property
    def gait(self) -> str:
        """Name of the commanded gait."""
        return self.command.gait or OWN_GAIT

    # --- mapping ----------------------------------------------------------------------------------

    def set_mapping(self, mapping: InputMap) -> None:
        """Set and store the mapping."""
        self.mapping = mapping
        self.keys.set_mapped(mapping.keys)
        self._resting = True
        _MAPPING.store(self._settings, dump_map(mapping))
        self.changed.emit()

    def _recalled(self) -> InputMap:
        text = _MAPPING.load(self._settings)
        if not text:
            return DEFAULT
        try:
            return parse_map(text)
        except UsageError:  # from another version; importing an exported file shows the reason
            return DEFAULT

    @property
    def readings(self) -> dict[Input, float]:
        """Current readings of all inputs."""
        return self.keys.readings | self.gamepads.readings

    # --- 50 times a second ------------------------------------------------------------------------

    def tick(self) -> None:
        """Emit the next command from the inputs held now."""
        now = time.monotonic()
        passed = min(now - self._then, 0.1)
        self._then = now
        if not self.keys.has_keyboard:
            self._lose("The window lost the keyboard focus.")
        elif self.gamepads.stuck:
            self._lose(
                "The gamepad does not respond.",
                "Unplug it and plug it in again, then release all controls.",
            )
        readings = self.readings
        self.keys.looked()
        if self._resting:
            # inputs that cannot be read may be held, so they do not count as released
            if (
                not self.keys.has_keyboard
                or self.gamepads.stuck
                or not self.mapping.at_rest(readings)
            ):
                self._note(self.notice or "Release all controls to start.")
                self._emit_command(self.command.stilled())
                return
            self._resting = False
            self._note("")
        references = self.mapping.references(readings)
        self._press(references.pressed)
        if self._resting or not self.on:  # a press may have ended the mode
            return
        self._emit_command(self._followed(references, passed))

    def _followed(self, references: References, passed: float) -> TeleopCommand:
        """Return the command after `passed` (s)."""
        mapping = self.mapping
        before = self.command
        dead = mapping.dead_man and "dead_man" not in references.pressed
        self._note(
            "Hold the dead-man switch to drive."
            if dead and (references.speed or references.turn)
            else ""
        )
        if dead:
            return before.stilled()
        amplitude = before.amplitude + references.amplitude * mapping.amplitude_per_s * passed
        return replace(
            before,
            speed=round(
                _approached(before.speed, references.speed, mapping.speed_per_s * passed), _FINE + 1
            ),
            turn=round(
                _approached(before.turn, references.turn, mapping.turn_per_s * passed), _FINE + 1
            ),
            amplitude=min(max(amplitude, 0.0), 1.0),
        )

    def _press(self, pressed: frozenset[Function]) -> None:
        """Run the functions that were just pressed."""
        new = pressed - self._pressed
        self._pressed = pressed
        gaits = list(self._gaits())
        for function, places in (("gait_next", 1), ("gait_previous", -1)):
            if function in new and gaits:
                present = gaits.index(self.gait) if self.gait in gaits else 0
                self.choose_gait(gaits[(present + places) % len(gaits)])
        if "stop" in new:
            self._lose("Stop was pressed.")

    def _emit_command(self, command: TeleopCommand) -> None:
        self.command = command
        fine = replace(
            command,
            **{n: round(getattr(command, n), _FINE) for n in ("speed", "turn", "amplitude")},
        )
        self.steered.emit(fine)

    def _note(self, sentence: str) -> None:
        if sentence != self.notice:
            self.notice = sentence
            self.changed.emit()

    # --- losses -----------------------------------------------------------------------------------

    def _lose(self, reason: str, remedy: str = "Release all controls to continue.") -> None:
        """Bring the command to rest immediately and request a stop; inputs count again after all are released."""
        if not self.on:
            return
        self.keys.release()
        known = self._resting and self.notice.startswith(reason)
        self._resting = True
        if not known:
            self._emit_command(self.command.stilled())
            self.stop_requested.emit(reason)
            self._note(f"{reason} {remedy}")

    def _on_found(self, name: str) -> None:
        self.changed.emit()

    def _on_lost(self, name: str) -> None:
        self._lose(f"{name} was unplugged.")
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.on and event.type() == QEvent.Type.WindowDeactivate:
            self._lose("The window lost the keyboard focus.")
        return False


def _approached(before: float, reference: float, most: float) -> float:
    """Return `reference`, or as close to it as `most` allows; towards 0 immediately, because releasing must not lag."""
    if abs(reference) < abs(before) and reference * before >= 0.0:
        return reference
    return min(max(reference, before - most), before + most)
