"""The profile being edited with its DBC, their files, and the one undo stack that every edit goes through."""

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
    """What is edited; `base` is the text whose comments and layout stay when it is saved, None if there are none."""

    profile: Profile
    dbc: str
    base: str | None


class _Edit(QUndoCommand):
    """One step of the undo stack: profile and DBC before and after."""

    def __init__(self, document: ProfileDocument, after: _State, text: str, gesture: int) -> None:
        super().__init__(text)
        self._document = document
        self._gesture = gesture
        self._before = document.state
        self._after = after

    def redo(self) -> None:
        self._document.take(self._after)

    def undo(self) -> None:
        self._document.take(self._before)

    def id(self) -> int:
        return -1 if self._gesture == 0 else 1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Edit) or other._gesture != self._gesture:
            return False
        self._after = other._after
        self.setObsolete(self._after == self._before)
        return True


class ProfileDocument(QObject):
    """A profile and the text of its DBC. Both are values: every edit replaces them by others.

    Raises `ProfileError` if it cannot be read.

    Parameters
    ----------
    path : Path
        The profile's file. One that comes with the program is opened all the same, and saved
        elsewhere.

    Signals
    -------
    changed()
        After every edit, undo, redo, and after another file was opened.
    checked()
        The findings are those of the present profile.
    title_changed()
        Path or unsaved state changed.
    locked_changed()
        It may be edited again, or may not.
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
        self._pace = Throttle(_CHECK_MS, self._check, self)

    def _on_clean(self, clean: bool) -> None:
        self.title_changed.emit()

    @property
    def profile(self) -> Profile:
        """As it stands now."""
        return self.state.profile

    @property
    def dbc(self) -> str:
        """Text of its DBC."""
        return self.state.dbc

    @property
    def dirty(self) -> bool:
        """Whether there is something to save."""
        return not self.undo_stack.isClean()

    @property
    def shipped(self) -> bool:
        """Whether its file comes with the program, and is never written to."""
        return _is_shipped(self.path)

    # --- locked while armed -----------------------------------------------------------------------

    @property
    def locked(self) -> str:
        """Why it cannot be edited now, a sentence; "" if it can."""
        return self._locked

    def lock(self, reason: str) -> None:
        """Refuse edits for a reason, or ("") take them again."""
        if reason != self._locked:
            self._locked = reason
            self.locked_changed.emit()

    # --- files ------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Another profile.

        Raises `ProfileError` if it cannot be read; what is open stays.
        """
        loaded = load_profile(path)
        text = _text_of(path)
        self.undo_stack.clear()
        self.path = path
        self.loaded = loaded
        self.take(_State(loaded.profile, loaded.dbc_text, text))
        self.title_changed.emit()

    def save(self, path: Path | None = None) -> None:
        """Write profile and DBC to their files, or to others; comments stay, the files before become backups.

        Raises `ProfileError` if that cannot be, with the remedy; nothing is lost.
        """
        target = self.path if path is None else path
        if _is_shipped(target):
            raise ProfileError(
                f"{target.name} is bundled with the program and cannot be changed. Save it under another name."
            )
        profile = self.profile
        if target.resolve() != self.path.resolve():  # its DBC goes with it, under its name
            profile = with_values(profile, {"dbc": f"{target.stem}.dbc"})
        base = save_both(profile, self.dbc, target, self.state.base)
        self.path = target
        self.take(_State(profile, self.dbc, base))
        self.undo_stack.setClean()
        self.title_changed.emit()

    # --- edits ------------------------------------------------------------------------------------

    def new_gesture(self) -> int:
        """A number for one movement: edits of one gesture are one step of undo."""
        self._gesture += 1
        return self._gesture

    def edit(
        self,
        profile: Profile,
        text: str,
        gesture: int = 0,
        dbc: str | None = None,
        *,
        anew: bool = False,
    ) -> None:
        """Replace the profile (and its DBC), as one step of undo called `text`.

        With `anew` it is another robot's: comments of the file that was opened would be wrong of
        it, and do not stay.

        Raises `ProfileError` while it is locked.
        """
        if self._locked:
            raise ProfileError(self._locked)
        after = _State(profile, self.dbc if dbc is None else dbc, None if anew else self.state.base)
        if after != self.state:
            self.undo_stack.push(_Edit(self, after, text, gesture))

    def set_values(self, values: dict[str, Any], text: str, gesture: int = 0) -> None:
        """Change values by their dotted keys, as one step of undo.

        Raises `ProfileError`: naming every mistake; the profile stays as it is.
        """
        self.edit(with_values(self.profile, values), text, gesture)

    def value(self, key: str) -> Any:
        """The value at a dotted key; None if there is none (any more)."""
        try:
            return get_value(self.profile, key)
        except ProfileError:
            return None

    def set_parts(self, key: str, parts: Sequence[Any], text: str) -> None:
        """Replace a list of parts, as one step of undo.

        Raises `ProfileError` if the profile cannot do without, or a part is not valid.
        """
        self.set_values({key: tuple(parts)}, text)

    # --- what follows from it ---------------------------------------------------------------------

    def take(self, state: _State) -> None:
        """Show a state; what undo and redo call."""
        same = state.dbc == self.loaded.dbc_text
        database = self.loaded.database if same else read_dbc(state.dbc, state.profile.dbc)
        self.loaded = LoadedProfile(state.profile, database, self.path, state.dbc)
        self.state = state
        self.changed.emit()
        self._pace.ask()

    def _check(self) -> None:
        self.problems, self.arming = check(self.loaded), arming_problems(self.loaded)
        self.checked.emit()


def _is_shipped(path: Path) -> bool:
    return path.resolve() in {each.resolve() for each in shipped()}


def _text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
