"""Options of export formats: dataclasses with defaults, and texts, ranges and choices of their fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from snakestudio.errors import UsageError
from snakestudio.model.column_units import parted, unit_of
from snakestudio.model.registry import titled
from snakestudio.plugins.result_types import conforms, described, hints_of, text_of
from snakestudio.text import listing

_KEY = "export_option"
"""Metadata key of the declaration of a field."""


class OptionDoc(NamedTuple):
    """Declaration of one option."""

    label: str = ""
    """Name for people; by default from the name of the field without its unit."""

    help: str = ""
    """Sentence for people."""

    unit: str = ""
    """Unit for people; by default that of the name of the field."""

    minimum: float | None = None
    """Least value of a number; None without a limit."""

    maximum: float | None = None
    """Largest value of a number; None without a limit."""

    choices: tuple[Any, ...] = ()
    """Possible values, if they are limited."""

    visible: bool = True
    """Whether the dialog of the format has a row for it."""


def export_option(
    default: Any,
    label: str = "",
    help: str = "",
    *,
    unit: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[Any, ...] = (),
    visible: bool = True,
) -> Any:
    """Field of a dataclass of options, with the values of an `OptionDoc`; plain fields are options, too."""
    doc = OptionDoc(label, help, unit, minimum, maximum, choices, visible)
    return dataclasses.field(default=default, metadata={_KEY: doc})


def option_docs(options: type | None) -> dict[str, OptionDoc]:
    """Declarations of the fields of a dataclass of options, by name."""
    if options is None:
        return {}
    docs = {each.name: each.metadata.get(_KEY, OptionDoc()) for each in dataclasses.fields(options)}
    return {
        name: doc._replace(
            label=doc.label or titled(parted(name)[0]), unit=doc.unit or unit_of(name)
        )
        for name, doc in docs.items()
    }


def options_from(
    options: type | None, values: Mapping[str, Any], title: str, others: Any = None
) -> Any:
    """Object of a dataclass of options from the values of some fields, lists as tuples; None without a dataclass.

    Raises `UsageError`, which names the format by its `title`, if there is no such option, or a value
    is invalid.

    Parameters
    ----------
    others : object, optional
        Object with the values of the other fields; by default their default values.
    """
    docs = option_docs(options)
    hints = {} if options is None else hints_of(options)
    checked = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    for name, value in checked.items():
        if name not in docs:
            known = f"Use {listing(docs, 'or')}." if docs else "Remove it."
            raise UsageError(f"{title} has no option {name!r}. {known}")
        hint = hints.get(name, Any)
        if not conforms(value, hint):
            raise UsageError(
                f"{title} has no {name} = {described(value)}. "
                f"Give a value of the type {text_of(hint)}."
            )
        if remedy := _remedy(docs[name], value):
            raise UsageError(f"{title} has no {name} = {described(value)}. {remedy}")
    if options is None:
        return None
    try:
        return options(**checked) if others is None else dataclasses.replace(others, **checked)
    except (TypeError, ValueError) as error:  # of the check in the options of a plug-in
        raise UsageError(f"{title}: {str(error).rstrip('.')}. Change the options.") from None


def _remedy(doc: OptionDoc, value: Any) -> str:
    """What to do about a value that is not possible; "" if it is."""
    if doc.choices and value not in doc.choices:
        return f"Choose {listing(map(str, doc.choices), 'or')}."
    if isinstance(value, int | float):
        if doc.minimum is not None and not value >= doc.minimum:
            return f"Give at least {doc.minimum:g}."
        if doc.maximum is not None and not value <= doc.maximum:
            return f"Give at most {doc.maximum:g}."
    return ""
