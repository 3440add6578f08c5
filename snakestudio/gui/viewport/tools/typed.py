"""Number typed during a transform."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from snakestudio.model.formula.quantity import NumberTextError, is_unfinished, parse_number

_BEGINS = "0123456789.,-+("
_CONTINUES = _BEGINS + "*/^)°% "


class TypedText:
    """Text typed so far.

    Parameters
    ----------
    unit : str
        Unit of numbers without one: "m", "°" or that of a factor.
    """

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.entry = ""
        """Axis of the current entry."""
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return any(self._texts.values())

    def text(self, axis: str) -> str:
        """Return the text typed for an axis."""
        return self._texts.get(axis, "")

    def press(self, event: QKeyEvent, axes: tuple[str, ...]) -> bool:
        """Handle a key if it belongs to a number; `axes` can be typed, the first one by default."""
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
        if text in (_CONTINUES if typed else _BEGINS) or (
            typed and (text.isalpha() or text == "µ")
        ):
            self._texts[self.entry] = typed + text
            return True
        return False

    def value(self, axis: str) -> float | None:
        """Return the number for an axis in `unit`; None if it is incomplete, such as "-" or "1/".

        Raises `NumberTextError` if the text is neither a number nor the start of one.
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
        """Return reason why the text cannot be used as it is, as a sentence; "" if it can."""
        for text in self._texts.values():
            if not text:
                continue
            try:
                parse_number(text, self.unit)
            except NumberTextError as error:
                return str(error)
        return ""
