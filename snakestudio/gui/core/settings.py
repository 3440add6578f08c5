"""Choices kept from session to session: frozen dataclasses of plain values in the user's settings."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QSettings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["load", "save"]

C = TypeVar("C", bound="DataclassInstance")


def save(settings: QSettings, group: str, choices: DataclassInstance) -> None:
    """Keep choices under a group's name; what was left as it is follows the program's default."""
    for field in fields(choices):
        chosen = getattr(choices, field.name)
        if chosen == field.default:
            settings.remove(f"{group}/{field.name}")
        else:
            settings.setValue(f"{group}/{field.name}", chosen)


def load(settings: QSettings, group: str, choices: C) -> C:
    """The choices of last time; what cannot be understood stays as it is."""
    found: dict[str, Any] = {}
    for field in fields(choices):
        default = getattr(choices, field.name)
        raw: Any = settings.value(f"{group}/{field.name}")
        if raw is None:
            continue
        try:
            found[field.name] = str(raw).lower() == "true" if isinstance(default, bool) else type(default)(raw)
        except (TypeError, ValueError):
            continue
    return replace(choices, **found)
