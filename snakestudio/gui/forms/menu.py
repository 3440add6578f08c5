"""Menus that receive all keys while they are open, and have a mnemonic for every entry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QIcon, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

_BASE = "mnemonic_base"
_LETTERED = "mnemonic_text"
"""Dynamic properties of an action: its text without and with an assigned mnemonic."""
_CACHED_TEXTS = 1024
"""Twice the number of entries of all menus; they are reassigned when one of them changes its text."""


class Menu(QMenu):
    """A menu, context menu or submenu.

    No key reaches the window behind it: otherwise shortcuts of the previously focused widget would
    still work.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        keep_keys(self)

    def addMenu(self, *arguments: Any) -> QMenu:  # type: ignore[override]
        if not isinstance(arguments[-1], str):
            super().addMenu(*arguments)
            return arguments[-1]  # type: ignore[no-any-return]
        below = Menu(arguments[-1], self)
        if isinstance(arguments[0], QIcon):
            below.setIcon(arguments[0])
        super().addMenu(below)
        return below

    def showEvent(self, event: QShowEvent) -> None:
        assign_mnemonics(self)
        super().showEvent(event)


class _ShortcutOverride(QObject):
    """Overrides shortcuts, so that the menu receives every key."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return False


def keep_keys(menu: QMenu) -> None:
    """Let a menu receive all keys while it is open; for menus made by Qt."""
    menu.installEventFilter(_ShortcutOverride(menu))


# --- mnemonics ------------------------------------------------------------------------------------


def assign_mnemonics(menu: QWidget) -> None:
    """Assign different mnemonics to all entries of a menu or menu bar, as long as there are free letters.

    The assignment is deterministic: first the initials of words, from the first entry to the last,
    then other letters. An entry whose letters are all in use has no mnemonic.
    Explicit mnemonics ("&Open") are kept, and so are those assigned to an entry in another menu.
    """
    actions = [action for action in menu.actions() if not action.isSeparator() and action.text()]
    by_hand = {
        letter
        for action in actions
        if not _is_ours(action) and (letter := _mnemonic(action.text()))
    }
    ours = [action for action in actions if _is_ours(action) or not _mnemonic(action.text())]
    owner: dict[str, int] = {}
    for number, action in enumerate(ours):
        letter = _mnemonic(action.text())
        if letter and letter not in by_hand and letter not in owner:
            owner[letter] = number
    candidates = [
        [letter for letter in _candidates(_base(action)) if letter not in by_hand]
        for action in ours
    ]

    def place(number: int, tried: set[str]) -> bool:
        """Assign a letter to an entry, reassigning another entry if necessary; return whether it succeeded."""
        for letter in candidates[number]:
            if letter not in owner:
                owner[letter] = number
                return True
        for letter in candidates[number]:
            if letter not in tried:
                tried.add(letter)
                if place(owner[letter], tried):
                    owner[letter] = number
                    return True
        return False

    settled = set(owner.values())
    for number in range(len(ours)):
        if number not in settled:
            place(number, set())
    letters = {number: letter for letter, number in owner.items()}
    for number, action in enumerate(ours):
        base = _base(action)
        text = _lettered(base, letters[number]) if number in letters else base
        action.setProperty(_BASE, base)
        action.setProperty(_LETTERED, text)
        if text != action.text():
            action.setText(text)


def plain(text: str) -> str:
    """Return the text of an action without the mark of its mnemonic."""
    return "".join(character for _, character, _ in _characters(text))


def _is_ours(action: QAction) -> bool:
    return bool(action.property(_LETTERED) == action.text())


def _base(action: QAction) -> str:
    return str(action.property(_BASE)) if _is_ours(action) else action.text()


def _characters(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the visible characters with their positions in the text and whether they are marked; "&&" is one."""
    index = 0
    while index < len(text):
        marked = text[index] == "&" and index + 1 < len(text)
        index += marked
        yield index, text[index], marked and text[index] != "&"
        index += 1


@lru_cache(maxsize=_CACHED_TEXTS)
def _mnemonic(text: str) -> str:
    """Return the marked letter; "" for none."""
    return next((character.upper() for _, character, marked in _characters(text) if marked), "")


@lru_cache(maxsize=_CACHED_TEXTS)
def _places(base: str) -> tuple[tuple[int, str], ...]:
    """Return possible positions of a mark with their letters, initials of words first."""
    seen = list(_characters(base))
    initials: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for number, (index, character, _) in enumerate(seen):
        if character.isalnum() and len(character.upper()) == 1:
            initial = number == 0 or not seen[number - 1][1].isalnum()
            (initials if initial else others).append((index, character.upper()))
    return (*initials, *others)


def _candidates(base: str) -> list[str]:
    return list(dict.fromkeys(letter for _, letter in _places(base)))


def _lettered(base: str, letter: str) -> str:
    index = next(index for index, other in _places(base) if other == letter)
    return f"{base[:index]}&{base[index:]}"
