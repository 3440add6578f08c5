"""Rows for values of the scene: numbers, texts, choices, files and formulas, by their declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, choose_file
from snakestudio.gui.forms.binding import ABSENT
from snakestudio.gui.forms.editors import ShownText, make_editor
from snakestudio.gui.forms.form_fields import field_for, field_of
from snakestudio.gui.forms.formula_editor import FormulaEditor
from snakestudio.gui.forms.row_layouts import (
    FORM,
    PANEL,
    PANEL_NUMBER,
    SYMBOL,
    TITLE,
    RowLayout,
)
from snakestudio.gui.forms.scene_binding import SceneBinding
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.model.edits import declared, with_value
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.message_labels import refusal

AT_RESET = "takes effect after Reset"
"""Note of a value that cannot change during a run."""

_CHARACTERS = 7
"""Least number of visible characters of a choice: the longest one must not widen a panel."""

_EDITABLE = ("integer", "number", "text", "choice", "switch", "numbers", "points")
"""Kinds of values that a row can edit."""

_PICTURE_FILES = "Images (*.png *.tif *.tiff *.jpg *.jpeg *.bmp *.pgm);;All files (*)"

Check = Callable[[Scene, str], str]
"""Returns a message about the value at a key of a scene; "" if it is valid."""


class _File(NamedTuple):
    """File dialog of a value."""

    title: str
    """Title of the dialog."""
    kind: FileKind
    filters: str
    tip: str
    """Tooltip of the button that opens it."""


_FILES = {
    "obstacles.picture": _File(
        "Height Image", FileKind.PICTURE, _PICTURE_FILES, "Choose an image file"
    ),
    "ground.picture.file": _File(
        "Friction Image", FileKind.PICTURE, _PICTURE_FILES, "Choose an image file"
    ),
    "gait.file": _File(
        "Table of Joint Angles",
        FileKind.CSV,
        "Tables (*.csv *.tsv *.txt);;All files (*)",
        "Choose a table of joint angles",
    ),
}
"""File dialogs, by the keys of their values without numbers of obstacles."""


def _heights_text(value: Any) -> str:
    """Return the size of a table of heights, which is edited in the scene file."""
    if isinstance(value, tuple) and value:
        return f"{len(value[0])} × {len(value)} heights"
    return "none" if value is None else "several"


_FIELDS: dict[str, dict[str, Any]] = {
    "obstacles.heights_m": {"editor": ShownText, "text_of": _heights_text},
    "obstacles.picture": {"placeholder": "none"},
    "obstacles.group": {"placeholder": "none"},
    "ground.picture.file": {"placeholder": "none", "clear_tip": "Remove the friction image"},
    "ground.mu_backward": {"placeholder": "same"},
    "ground.patch.mu_backward": {"placeholder": "same"},
    "gait.file": {"placeholder": "choose a CSV file"},
    "support.weights": {"placeholder": "all equal"},
    "joint_controller.kp_pitch_nm_per_rad": {"placeholder": "as yaw"},
    "joint_controller.kd_pitch_nms_per_rad": {"placeholder": "as yaw"},
}
"""What the fields of some values have in addition to their declarations, by the same keys."""


class _HeightImageBinding(SceneBinding):
    """Image file of a height field; an image replaces a table of heights."""

    def _changes(self, values: Sequence[Any]) -> dict[str, Any]:
        images = super()._changes(values)
        tables = {key.rpartition(".")[0] + ".heights_m": None for key in self.keys}
        return images if values[0] is None else {**images, **tables}


class _FrictionImageBinding(SceneBinding):
    """File of the friction image; without a file all values of the image are removed."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "") -> None:
        super().__init__(document, keys, of)
        self.default = ABSENT  # the button that removes the image serves as reset

    def _changes(self, values: Sequence[Any]) -> dict[str, Any]:
        return super()._changes(values) if values[0] else {"ground.picture": None}

    def _step(self, values: Sequence[Any]) -> str:
        return super()._step(values) if values[0] else "Remove friction image"


_BINDINGS: dict[str, type[SceneBinding]] = {
    "obstacles.picture": _HeightImageBinding,
    "ground.picture.file": _FrictionImageBinding,
}
"""Bindings of values that change others, by the same keys."""


def is_editable(scene: Scene, key: str) -> bool:
    """Return whether a value of a scene has a row."""
    kind = field_kind(*declared(scene, key))
    if (kind.kind == "choice" and len(kind.offered) == 1) or (
        kind.kind == "switch" and kind.optional
    ):
        return False
    return "editor" in _FIELDS.get(_plain(key), {}) or kind.kind in _EDITABLE


def _plain(key: str) -> str:
    """Return a key without the numbers of parts."""
    return re.sub(r"\[\d+\]", "", key)


def scene_row(
    document: Document,
    keys: Sequence[str],
    of: str = "",
    *,
    layout: RowLayout = FORM,
    note: str = "",
    placeholder: str = "",
) -> ValueRow | None:
    """Return the row of a scene value, by its declaration; None if it cannot be edited in a row.

    `keys` and `of` are those of `SceneBinding`.

    Parameters
    ----------
    note : str
        Short note at the label.
    placeholder : str
        Text in the field without a value, if it is not the declared one.
    """
    if not is_editable(document.scene, keys[0]):
        return None
    plain = _plain(keys[0])
    model, name = declared(document.scene, keys[0])
    special = _FIELDS.get(plain, {})
    field = field_for(model, name, live=False, characters=_CHARACTERS, **special)
    if placeholder:
        field = replace(field, placeholder=placeholder)
    file = _FILES.get(plain)
    if file is not None:
        field = replace(
            field,
            browse_tip=file.tip,
            browse=lambda _: (
                choose_file(row, file.title, file.kind, document.base_dir, file.filters) or None
            ),
        )
    binding = _BINDINGS.get(plain, SceneBinding)(document, keys, of)
    row = ValueRow(make_editor(field, binding.value()), binding, layout=layout, note=note)
    return row


def panel_row(
    document: Document, key: str, *, slider: bool = True, note: str | None = None
) -> ValueRow:
    """Return the row of a value in a panel: a number with its slider, or another value as in a form.

    Raises `ValueError` if the value cannot be edited in a row.

    Parameters
    ----------
    slider : bool
        Whether a number has a slider.
    note : str, optional
        Short note at the label; if omitted, whether a number takes effect after a reset.
    """
    model, name = declared(document.scene, key)
    layout: RowLayout = FORM
    if field_kind(model, name).is_number:
        layout = PANEL if slider else PANEL_NUMBER
        if note is None and not field_doc(model, name).live:
            note = AT_RESET
    row = scene_row(document, [key], layout=layout, note=note or "")
    if row is None:
        raise ValueError(f"{key} cannot be edited in a row.")
    return row


def formula_row(
    document: Document,
    key: str,
    doc: FieldDoc,
    check: Check | None = None,
    *,
    symbol: str = "",
    of: str = "",
    is_entry: bool = False,
) -> ValueRow:
    """Return the row of a formula.

    Parameters
    ----------
    check : callable, optional
        Checks a scene that contains the formula.
    symbol : str
        Symbol of the quantity, rich text, in front of the field; "" to show the label above it.
    of : str
        Owner of the formula for the undo list: "anchor 1".
    is_entry : bool
        Whether it is an entry of a list, which has no declaration in the scene.
    """

    def problem_of(text: str) -> str:
        try:
            scene = with_value(document.scene, key, text)
        except SnakeStudioError as error:
            return refusal(error, document.scene)
        return "" if check is None else check(scene, key)

    binding = SceneBinding(document, [key], of, doc if is_entry else None)
    field = field_of(doc, editor=FormulaEditor, check=problem_of)
    layout = SYMBOL if symbol else TITLE
    editor = make_editor(field, binding.value())
    return ValueRow(editor, binding, layout=layout, label=symbol or doc.label)


def sentence_about(problems: Collection[Problem], *keys: str) -> str:
    """Return the first message about one of some keys; "" if there is none."""
    return next((problem.sentence_for() for problem in problems if problem.key in keys), "")


def wrong_at(error: SnakeStudioError, key: str) -> str:
    """Return the message of an error about the formula at `key`; "" if it is about others."""
    return sentence_about(getattr(error, "problems", ()), key)
