"""Edited profile with its DBC, their files and a single undo stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from snakestudio.errors import Problem, ProfileError
from snakestudio.gui.core.throttle import Throttle
from snakestudio.link.profile.check import arming_problems, check
from snakestudio.link.profile.editing import get_value, with_values
from snakestudio.link.profile.library import shipped
from snakestudio.link.profile.loading import LoadedProfile, load_profile, read_dbc, save_both
from snakestudio.link.profile.schema import Profile

_CHECK_MS = 150


@dataclass(frozen=True)
class _State:
    """Edited state; `base` is the text whose comments and layout are kept when saving, or None."""

    profile: Profile
    dbc: str
    base: str | None


class _Edit(QUndoCommand):
    """Step of the undo stack: profile and DBC before and after."""

    def __init__(self, document: ProfileDocument, after: _State, text: str, gesture: int) -> None:
        super().__init__(text)
        self._document = document
        self._gesture = gesture
        self._before = document.state
        self._after = after

    def redo(self) -> None:
        self._document.set_state(self._after)

    def undo(self) -> None:
        self._document.set_state(self._before)

    def id(self) -> int:
        return -1 if self._gesture == 0 else 1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Edit) or other._gesture != self._gesture:
            return False
        self._after = other._after
        self.setObsolete(self._after == self._before)
        return True


class ProfileDocument(QObject):
    """Profile and text of its DBC; both are immutable and replaced by every edit.

    Raises `ProfileError` if the file cannot be read.

    Parameters
    ----------
    path : Path
        File of the profile. A bundled profile can be opened, but is saved elsewhere.

    Signals
    -------
    changed()
        Emitted after every edit, undo, redo and after opening another file.
    checked()
        The problems of the current profile are available.
    title_changed()
        Path or unsaved state changed.
    locked_changed()
        The profile was locked or unlocked.
    """

    changed = Signal()
    checked = Signal()
    title_changed = Signal()
    locked_changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        loaded = load_profile(path)
        self.loaded: LoadedProfile = loaded
        self.path = path
        self.state = _State(loaded.profile, loaded.dbc_text, _text_of(path))
        self.problems: list[Problem] = check(loaded)
        self.arming: list[Problem] = arming_problems(loaded)
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self._on_clean)
        self._gesture = 0
        self._locked = ""
        self._throttle = Throttle(_CHECK_MS, self._check, self)

    def _on_clean(self, clean: bool) -> None:
        self.title_changed.emit()

    @property
    def profile(self) -> Profile:
        """Current profile."""
        return self.state.profile

    @property
    def dbc(self) -> str:
        """Text of the DBC."""
        return self.state.dbc

    @property
    def dirty(self) -> bool:
        """Whether there are unsaved changes."""
        return not self.undo_stack.isClean()

    @property
    def shipped(self) -> bool:
        """Whether the file is bundled with the program and therefore read-only."""
        return _is_shipped(self.path)

    # --- locked while armed -----------------------------------------------------------------------

    @property
    def locked(self) -> str:
        """Message why the profile cannot be edited; "" if it can."""
        return self._locked

    def lock(self, reason: str) -> None:
        """Refuse edits with a message; "" accepts them again."""
        if reason != self._locked:
            self._locked = reason
            self.locked_changed.emit()

    # --- files ------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open another profile.

        Raises `ProfileError` if it cannot be read; the open profile stays.
        """
        loaded = load_profile(path)
        text = _text_of(path)
        self.undo_stack.clear()
        self.path = path
        self.loaded = loaded
        self.set_state(_State(loaded.profile, loaded.dbc_text, text))
        self.title_changed.emit()

    def save(self, path: Path | None = None) -> None:
        """Write profile and DBC to their files, or to others; comments stay, replaced files become backups.

        Raises `ProfileError` with the remedy if writing fails; nothing is lost.
        """
        target = self.path if path is None else path
        if _is_shipped(target):
            raise ProfileError(
                f"{target.name} is bundled with the program and cannot be changed. Save it under another name."
            )
        profile = self.profile
        if (
            target.resolve() != self.path.resolve()
        ):  # the DBC is saved next to it under the same name
            profile = with_values(profile, {"dbc": f"{target.stem}.dbc"})
        base = save_both(profile, self.dbc, target, self.state.base)
        self.path = target
        self.set_state(_State(profile, self.dbc, base))
        self.undo_stack.setClean()
        self.title_changed.emit()

    # --- edits ------------------------------------------------------------------------------------

    def new_gesture(self) -> int:
        """Return a number for one gesture, whose edits are one step of undo."""
        self._gesture += 1
        return self._gesture

    def edit(
        self,
        profile: Profile,
        text: str,
        gesture: int = 0,
        dbc: str | None = None,
        *,
        new_robot: bool = False,
    ) -> None:
        """Replace the profile (and its DBC) as one step of undo named `text`.

        If `new_robot`, the profile is of another robot, and the comments of the opened file are dropped
        because they do not apply.

        Raises `ProfileError` while the document is locked.
        """
        if self._locked:
            raise ProfileError(self._locked)
        after = _State(
            profile, self.dbc if dbc is None else dbc, None if new_robot else self.state.base
        )
        if after != self.state:
            self.undo_stack.push(_Edit(self, after, text, gesture))

    def set_values(self, values: dict[str, Any], text: str, gesture: int = 0) -> None:
        """Change values by dotted keys as one step of undo.

        Raises `ProfileError` with every error; the profile then stays unchanged.
        """
        self.edit(with_values(self.profile, values), text, gesture)

    def value(self, key: str) -> Any:
        """Return the value at a dotted key; None if the key does not exist."""
        try:
            return get_value(self.profile, key)
        except ProfileError:
            return None

    def set_parts(self, key: str, parts: Sequence[Any], text: str) -> None:
        """Replace a list of parts as one step of undo.

        Raises `ProfileError` if the profile requires a removed part, or a part is invalid.
        """
        self.set_values({key: tuple(parts)}, text)

    # --- consequences -----------------------------------------------------------------------------

    def set_state(self, state: _State) -> None:
        """Show a state; called by undo and redo."""
        same = state.dbc == self.loaded.dbc_text
        database = self.loaded.database if same else read_dbc(state.dbc, state.profile.dbc)
        self.loaded = LoadedProfile(state.profile, database, self.path, state.dbc)
        self.state = state
        self.changed.emit()
        self._throttle.request()

    def _check(self) -> None:
        self.problems, self.arming = check(self.loaded), arming_problems(self.loaded)
        self.checked.emit()


def _is_shipped(path: Path) -> bool:
    return path.resolve() in {each.resolve() for each in shipped()}


def _text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
