"""Horizontal and vertical layouts of widgets in one call."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""A widget or a layout, optionally with its stretch; a number alone is a stretch."""

Margins = tuple[int, int, int, int]
"""Left, top, right, bottom, px."""


def line_of(*parts: Part, spacing: int = 8, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Return a layout of parts from left to right."""
    line = QHBoxLayout()
    _fill(line, parts, spacing, margins)
    return line


def column_of(*parts: Part, spacing: int = 8, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a layout of parts from top to bottom."""
    column = QVBoxLayout()
    _fill(column, parts, spacing, margins)
    return column


def _fill(box: QBoxLayout, parts: tuple[Part, ...], spacing: int, margins: Margins) -> None:
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for each in parts:
        if isinstance(each, int):
            box.addStretch(each)
            continue
        part, stretch = each if isinstance(each, tuple) else (each, 0)
        if isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch)


def holder_of(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    holder = QWidget()
    holder.setLayout(layout)
    return holder
