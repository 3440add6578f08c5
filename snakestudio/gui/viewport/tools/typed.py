"""The number that is typed while something is transformed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from snakestudio.model.formula.quantity import NumberTextError, is_unfinished, parse_number

_BEGINS = "0123456789.,-+("
_GOES_ON = _BEGINS + "*/^)°% "


class Typed:
    """What was typed so far.

    Parameters
    ----------
    unit : str
        That of numbers without one: "m", "°" or a factor's.
    """

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.entry = ""
        """Axis that is typed at."""
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return any(self._texts.values())

    def text(self, axis: str) -> str:
        """What was typed for an axis."""
        return self._texts.get(axis, "")

    def press(self, event: QKeyEvent, axes: tuple[str, ...]) -> bool:
        """Take a key if it belongs to a number; `axes` are those that can be typed, the first one if none was begun."""
        if not axes:
            return False
        if self.entry not in axes:
            self.entry = axes[0]
            self._texts = {}
        text = event.text()
        typed = self._texts.get(self.entry, "")
        if event.key() == Qt.Key.Key_Backspace:
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                typed = ""
            self._texts[self.entry] = typed[:-1]
            return True
        if event.key() == Qt.Key.Key_Tab and self:
            self.entry = axes[(axes.index(self.entry) + 1) % len(axes)]
            return True
        if len(text) != 1 or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if text in (_GOES_ON if typed else _BEGINS) or (typed and (text.isalpha() or text == "µ")):
            self._texts[self.entry] = typed + text
            return True
        return False

    def value(self, axis: str) -> float | None:
        """The number for an axis in `unit`; None if there is none yet, as with "-" and "1/".

        Raises `NumberTextError` if it is nonsense, and no beginning of a number either.
        """
        text = self._texts.get(axis, "")
        if not text:
            return None
        try:
            return parse_number(text, self.unit)
        except NumberTextError:
            if is_unfinished(text, self.unit):
                return None
            raise

    def mistake(self) -> str:
        """Why what was typed cannot be taken as it stands, as a sentence; "" if it can."""
        for text in self._texts.values():
            if not text:
                continue
            try:
                parse_number(text, self.unit)
            except NumberTextError as error:
                return str(error)
        return ""
