"""Dialog for the name under which something is saved, with a message about invalid names."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog


class NameDialog(Dialog):
    """A name field and two buttons.

    Parameters
    ----------
    existing : list of str
        Names in use, whose items will be replaced.
    refusal : callable
        Returns why a name cannot be used; "" if it can.
    of : str
        What is saved, such as "layout".
    explanation : str
        What is saved, in a sentence.
    """

    def __init__(
        self,
        existing: list[str],
        refusal: Callable[[str], str],
        parent: QWidget | None = None,
        *,
        of: str = "layout",
        explanation: str = "Saves which panels are open, their positions and sizes, and what the plots show.",
    ) -> None:
        super().__init__(parent, f"Save {of.title()}")
        self._existing = existing
        self._refusal = refusal
        self._of = of
        self._explanation = explanation
        label = QLabel(f"&Name of the {of}", self)
        self.field = QLineEdit(self)
        self.field.setMinimumWidth(theme.scaled(320))
        label.setBuddy(self.field)
        self.sentence = QLabel(self)
        self.sentence.setProperty("role", "dim")
        self.sentence.setWordWrap(True)
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing())
        buttons, self.save_button = self.make_buttons("&Save")
        self.arrange(label, self.field, self.sentence, buttons, spacing=8)
        self.field.textChanged.connect(self._validate)
        self._validate("")

    @property
    def name(self) -> str:
        """The typed name."""
        return self.field.text().strip()

    def _validate(self, text: str) -> None:
        reason = self._refusal(text)
        self.save_button.setEnabled(not reason)
        if text and reason:
            theme.set_role(self.sentence, "warning")
            self.sentence.setText(reason)
        else:
            theme.set_role(self.sentence, "dim")
            self.sentence.setText(
                f"It replaces the {self._of} {self.name}."
                if self.name in self._existing
                else self._explanation
            )
