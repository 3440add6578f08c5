"""Fields of a form, declared where its values are: label, unit, range, help, choices, and when they matter."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.viewmodel.field_texts import number_kind

_KEY = "form_field"
"""Under which a field of a dataclass has its declaration."""


class Choice(NamedTuple):
    """One of the values that a field offers."""

    value: Any
    text: str
    tip: str = ""
    icon: str = ""


Choices = Sequence[Choice]
Condition = Callable[[Any], bool]
"""Whether something holds, by the present values of the form."""


@dataclass(frozen=True)
class Note:
    """A sentence between the rows of a form, which is hidden while it is empty."""

    role: str = "dim"
    """How it looks: a role of the style sheet."""
    wide: bool = False
    """Whether it starts at the labels instead of the fields."""


@dataclass(frozen=True)
class FormField:
    """How a form asks for one value."""

    label: str
    """Caption of the row, with & before the letter that leads there; of a later field in its row,
    the word before it."""
    help: str = ""
    """Tooltip."""
    text: str = ""
    """Text behind the box of a switch."""
    name: str = ""
    """Label for screen readers, where the caption does not say enough."""
    unit: str = ""
    minimum: float | None = None
    exclusive_minimum: bool = False
    """Whether the minimum itself is invalid."""
    maximum: float | None = None
    slider: tuple[float, float] | None = None
    """Sensible range, by which arrow keys step."""
    decimals: int | None = None
    """Decimals of a number in a box with arrows; None for a typed number."""
    step: float = 1.0
    """How far the arrows of such a box go."""
    arrows: bool = True
    """Whether such a box shows its arrows."""
    optional: bool = False
    """Whether a number may be left empty."""
    empty: Any = None
    """Value of an optional number that is left empty."""
    placeholder: str = ""
    """Shown while a field is empty."""
    plain: bool = False
    """Whether a typed number looks as a text does, with its unit in the caption: a port, a time
    limit."""
    refusal: str = ""
    """What is wrong with a number that is not valid, where the usual sentences do not say
    enough."""
    max_length: int = 32767
    choices: Choices | Callable[[Any], Choices] | None = None
    """Values that are offered; those that depend on other values as a function of the form's
    values."""
    browse: Callable[[Any], Any] | None = None
    """Asks for a file, given the present value; None where nothing else is to be shown."""
    browse_text: str = "Browse ..."
    width: int = 0
    """Width of the editor, px of the design; 0 for as much as there is."""
    least_width: int = 0
    """How narrow an editor of a certain width can become; 0 for not at all."""
    live: bool = True
    """Whether what is typed counts at once; otherwise on Enter and when the field is left, and what
    is not valid is replaced by the value that holds."""
    place: Literal["row", "beside", "below", "column"] = "row"
    """A row of its own, or in the row of the field before: in the same line, or in one below; or a
    row at the top of another column of rows."""
    wide: bool = False
    """Whether its row has no caption, and starts where the captions do."""
    editor: Callable[[FormField, Any], Any] | None = None
    """Makes an editor that is not one of the usual ones, given the field and the widget that it is
    to be on."""
    shown: Condition | None = None
    """When it is seen; always, if left out."""
    enabled: Condition | None = None
    """When it can be edited; always, if left out."""
    stored: bool = False
    """Whether the form keeps the value in the settings."""
    integer: bool = False
    """Whether only whole numbers are valid."""

    @property
    def caption(self) -> str:
        """What stands before the row."""
        return f"{self.label}, {self.unit}" if self.plain and self.unit else self.label

    @property
    def title(self) -> str:
        """The label for screen readers, and for sentences about the value."""
        return self.name or self.label.replace("&", "")

    @property
    def doc(self) -> FieldDoc:
        """The same for a field of scene values."""
        return FieldDoc(
            label=self.title,
            unit=self.unit,
            help=self.help,
            symbol="",
            slider=self.slider,
            live=False,
            minimum=self.minimum,
            maximum=self.maximum,
            exclusive_minimum=self.exclusive_minimum,
            default=None,
        )


def form_field(default: Any, label: str, **declared: Any) -> Any:
    """Declare a field of a dataclass as one of a form; `declared` are those of `FormField`."""
    return field(default=default, metadata={_KEY: FormField(label, **declared)})


def fields_of(values: Any) -> dict[str, FormField]:
    """The declared fields of a dataclass, or of a part that is checked by pydantic, by their names."""
    if isinstance(values, BaseModel):
        model = type(values)
        return {name: _of_model(model, name) for name in model.model_fields}
    return {
        each.name: each.metadata[_KEY]
        for each in dataclasses.fields(values)
        if _KEY in each.metadata
    }


def _of_model(model: type[BaseModel], name: str) -> FormField:
    annotation = model.model_fields[name].annotation
    words = typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()
    integer, optional = number_kind(model, name) or (False, False)
    return field_of(
        field_doc(model, name),
        optional=optional,
        integer=integer,
        choices=tuple(Choice(word, str(word).replace("_", " ")) for word in words) or None,
    )


def field_of(doc: FieldDoc, **declared: Any) -> FormField:
    """A field of a form, from what is declared of a value; `declared` are those of `FormField`."""
    return FormField(
        doc.label,
        help=doc.help,
        unit=doc.unit,
        minimum=doc.minimum,
        exclusive_minimum=doc.exclusive_minimum,
        maximum=doc.maximum,
        slider=doc.slider,
        **declared,
    )


def with_changes(values: Any, changes: Mapping[str, Any]) -> Any:
    """The same values but for some."""
    if isinstance(values, BaseModel):
        return values.model_copy(update=dict(changes))
    return dataclasses.replace(values, **changes)
