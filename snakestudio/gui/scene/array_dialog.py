"""Dialog that makes arrays of obstacles, with a live preview in the viewport; OK makes one undo step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import Preview
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, FormField, fields_of
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.model.edits.arrays import (
    PATTERN_FIELDS,
    PATTERNS,
    Array,
    ArrayPlan,
    arrayed,
    suited,
)
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.fields import field_doc
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.scene.items import refusal_text

_SELECTED = ""
"""Value of the choice of the selected obstacles, among the names of presets."""
_MARGIN = 16
"""Space between the dialog and the edge of the window, px of the design."""
_WIDTH = 300
"""Width of texts, px of the design."""


class ArrayChoices(ArrayPlan):
    """Plan of an array, and the obstacles to copy."""

    what: str = _SELECTED


class ArrayDialog(Dialog):
    """Pattern and numbers of an array, with a preview.

    Parameters
    ----------
    commands : ObstacleCommands
        Find free positions for new obstacles.
    preview : Preview
        Shows the copies before they are added to the scene.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        commands: ObstacleCommands,
        preview: Preview,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Array")
        self._document = document
        self._selection = selection
        self._commands = commands
        self._preview = preview
        self._array: Array | None = None
        self._fresh: tuple[Obstacle, ...] = ()
        self._what = _SELECTED
        self.form = DeclaredForm(ArrayChoices(), self._fields(), self, enter_accepts=False)
        self.form.setMinimumWidth(theme.scaled(_WIDTH))
        self.message = self.form.message
        self.summary = QLabel()
        buttons, self.make_button = self.make_buttons("&Create Array")
        self.arrange(self.form, self.summary, buttons, width=_WIDTH, fixed=True)
        self.form.changed.connect(self._on_form)
        selection.changed.connect(self._on_selection)
        document.scene_changed.connect(self._on_scene)
        document.kinds_changed.connect(self._on_kinds_changed)
        document.opened.connect(self.reject)

    def _fields(self) -> dict[str, FormField]:
        patterns = tuple(Choice(name, title) for name, title in PATTERNS.items())
        numbers = {
            name: field for name, field in fields_of(ArrayPlan()).items() if name != "pattern"
        }
        return {
            "what": FormField(
                "&Copies of", help="Obstacles to copy", choices=lambda now: self._offers()
            ),
            "pattern": FormField(
                "&Pattern", help=field_doc(ArrayPlan, "pattern").help, choices=patterns
            ),
            **{name: replace(field, visible_if=_counts(name)) for name, field in numbers.items()},
        }

    @property
    def plan(self) -> ArrayPlan:
        """Layout of the copies."""
        return self.form.values

    # --- input ------------------------------------------------------------------------------------

    def _on_form(self) -> None:
        what = self.form.values.what
        if what != self._what:
            self._what = what
            self._fresh = ()
            self._suit()
        else:
            self._update()

    def _suit(self) -> None:
        """Set distances that suit the copied obstacles, except those that the user has changed."""
        sources = self._sources()
        if not sources:
            self._update()
            return
        plan = suited(self.plan, sources)
        names = [name for name in ArrayPlan.model_fields if name not in self.form.touched]
        self.form.set(**{name: getattr(plan, name) for name in names})

    def _sources(self) -> tuple[Obstacle, ...]:
        name = self.form.values.what
        if name and not self._fresh:
            self._fresh = self._commands.fresh(name)
        return (
            self._fresh
            if name
            else tuple(self._document.scene.obstacles[i] for i in self._selection.obstacles)
        )

    def _on_selection(self) -> None:
        if self.isVisible():
            self._offer()
            self._suit()

    def _on_kinds_changed(self) -> None:
        self._on_scene(None, self._document.scene)

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if self.isVisible():
            self._fresh = ()
            self._offer()
            self._update()

    def _offers(self) -> list[Choice]:
        """Return the choices of obstacles to copy."""
        offers = [
            Choice(preset.name, f"New {preset.title.lower()}", icon=preset.icon)
            for preset in PRESETS.values()
        ]
        chosen = self._selection.obstacles
        if chosen:
            text = self._commands.arrange.what(chosen).removeprefix("group ")
            offers.insert(0, Choice(_SELECTED, f"{capitalized(text)} (selected)"))
        return offers

    def _offer(self) -> None:
        """Update the choices of obstacles to copy; the current choice stays if it still exists."""
        self.form.refresh()
        self._what = self.form.values.what

    def _update(self) -> None:
        """Recompute the array and its preview."""
        self._array = None
        problem = ""
        scene = self._document.scene
        fresh = self._sources()
        indices = self._selection.obstacles if self.form.values.what == _SELECTED else ()
        try:
            self._array = arrayed(scene, self.plan, indices, fresh, self._document.base_dir)
        except ValidationError:
            problem = "Some copies would be more than 10 km away. Use a smaller spacing."
        except SnakeStudioError as error:
            problem = refusal_text(error, scene)
        except ValueError as error:
            problem = str(error)
        self._preview.show(
            self._array.scene.obstacles[len(scene.obstacles) :] if self._array is not None else ()
        )
        self.form.report(problem)
        array = None if self.form.problem else self._array
        self.summary.setText("" if array is None else array.sentence)
        self.make_button.setEnabled(array is not None)

    # --- opening and closing ----------------------------------------------------------------------

    def accept(self) -> None:
        """Add the array as one undo step and select it."""
        self._update()
        array = self._array
        if array is None:
            return
        super().accept()
        self._document.edit(array.scene, f"Array of {len(array.indices)} obstacles")
        self._selection.set([("obstacle", i) for i in array.indices])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()
        self._fresh = ()
        self._offer()
        if not self._selection.obstacles:
            self.form.set(what=self._commands.next_kind)
        self._suit()

    def _place(self) -> None:
        """Move to the right edge of the window, next to the preview in the view."""
        over = self.parentWidget()
        if over is not None:
            window = over.window().frameGeometry()
            left = window.right() - self.frameGeometry().width() - theme.scaled(_MARGIN)
            self.move(max(window.left(), left), window.center().y() - self.height() // 2)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._preview.clear()


def _counts(name: str) -> Callable[[Any], bool]:
    """Return a predicate: whether a value is used by the chosen pattern."""
    return lambda now: name in PATTERN_FIELDS[now.pattern]
