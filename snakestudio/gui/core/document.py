"""The open document: the scene being edited, its file, and the one undo stack that every edit goes through."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from snakestudio.errors import Fix, SceneError
from snakestudio.kinds.plugin_kinds import renewed
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import (
    file_digest,
    load_plugins_of_text,
    parse_scene,
    read_scene_text,
    save_scene,
    text_digest,
)
from snakestudio.paths import is_shipped_scene


class _SceneEdit(QUndoCommand):
    """One step of the undo stack: a scene before and after."""

    def __init__(self, document: Document, after: Scene, text: str, gesture: int) -> None:
        super().__init__(text)
        self._document = document
        self._before = document.scene
        self._after = after
        self._gesture = gesture

    def redo(self) -> None:
        self._document._set_scene(self._after)

    def undo(self) -> None:
        self._document._set_scene(self._before)

    def id(self) -> int:
        return -1 if self._gesture == 0 else 1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _SceneEdit) or other._gesture != self._gesture:
            return False
        self._after = other._after
        if self._after == self._before:
            self.setObsolete(True)
        return True


class Document(QObject):
    """The scene being edited. Scenes are values: every edit replaces the whole scene by another.

    `path` is where saving goes to. `origin` is the file that the scene was read from: the same, but
    for a scene that comes with the program, of which a copy is opened that has no file yet.

    Signals
    -------
    scene_changed(before: Scene | None, after: Scene)
        After every edit, undo, redo, and after opening a file.
    kinds_changed()
        Kinds of plug-ins came, went or are other ones; what the scene is of is up to date.
    opened()
        Another file was opened (or a new scene begun): what was shown belongs to the past.
    title_changed()
        Path or dirty state changed.
    history_changed()
        Steps came, went, were undone or redone, or another one is the saved one. Unlike those of
        the stack it is not emitted at its end, when it can no longer be asked.
    """

    scene_changed = Signal(object, object)
    kinds_changed = Signal()
    opened = Signal()
    title_changed = Signal()
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scene = Scene()
        self.path: Path | None = None
        self.origin: Path | None = None
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self._on_clean)
        self.undo_stack.indexChanged.connect(self._on_index)
        self.text: str | None = None
        """Content of the file it was opened from or saved to: its comments stay."""
        self._digest: bytes | None = None
        self._last_gesture = self._edited_in = 0
        self.going_on = False
        """Whether what changes right now is a further part of the gesture that changed the scene
        before."""
        self._jumping = False
        self.value_commands: list[tuple[str, Callable[[tuple[str, ...]], object]]] = []
        """What the menu of a value of the scene offers beyond its own: text, and what gets the
        value's keys."""

    def _on_clean(self, clean: bool) -> None:
        self.title_changed.emit()
        self.history_changed.emit()

    def _on_index(self, index: int) -> None:
        self.history_changed.emit()

    @property
    def dirty(self) -> bool:
        """Whether there is something to save."""
        return not self.undo_stack.isClean()

    @property
    def base_dir(self) -> Path | None:
        """What relative paths in the scene are relative to."""
        return self.origin.parent if self.origin is not None else None

    @property
    def name(self) -> str:
        """Name of its file, or of one that it could have."""
        return self.origin.name if self.origin is not None else "untitled.toml"

    @property
    def title(self) -> str:
        """Name for titles, which says what has no file yet."""
        return (
            f"Copy of {self.name}" if self.path is None and self.origin is not None else self.name
        )

    def open(self, path: str | Path) -> None:
        """Open a scene file, or a copy of one that comes with the program.

        Raises `SceneError` if it cannot be read; the open document stays as it is.
        """
        path = Path(path)
        digest = file_digest(path)  # before reading: what changes meanwhile counts as changed
        text = read_scene_text(path)
        load_plugins_of_text(text, path.parent)
        scene = parse_scene(text, source=str(path))
        if path.suffix.lower() == ".csv":  # saving must never write a scene over exported data
            self._replace(scene, None, text, None)
        elif is_shipped_scene(path):
            self._replace(scene, None, text, None, origin=path.resolve())
        else:
            self._replace(scene, path.resolve(), text, digest)

    def new(self, scene: Scene | None = None) -> None:
        """Begin an unsaved scene."""
        self._replace(scene or Scene(), None, None, None)

    def restore(self, scene: Scene, path: Path | None) -> None:
        """Take up a scene that was not saved: one edit on top of its file, so that undo leads to what is saved.

        Parameters
        ----------
        path : Path or None
            Its file; if that cannot be read any more, saving makes it anew.
        """
        try:
            if path is None:
                self.new()
            else:
                self.open(path)
        except SceneError:
            self._replace(Scene(), path, None, None)
        self.edit(scene, "Restore unsaved changes")

    def _replace(
        self,
        scene: Scene,
        path: Path | None,
        text: str | None,
        digest: bytes | None,
        origin: Path | None = None,
    ) -> None:
        self.undo_stack.clear()
        self.undo_stack.setClean()  # an empty stack that was told of no clean step stays so when it is cleared
        self.path = path
        self.text = text
        self._digest = digest
        self.origin = origin if origin is not None else path
        before = self.scene
        self.scene = scene
        self.opened.emit()
        self.scene_changed.emit(before, scene)
        self.title_changed.emit()

    # --- the file ---------------------------------------------------------------------------------

    def on_disk(self) -> Literal["same", "changed", "gone"]:
        """Whether the file still holds what was read or saved last; a scene without a file is the same for ever."""
        if self.path is None or self._digest is None:
            return "same"
        now = file_digest(self.path)
        return "gone" if now is None else "same" if now == self._digest else "changed"

    def read_file(self) -> Scene:
        """The scene as its file holds it now.

        Raises `SceneError` if it has none, or it cannot be read.
        """
        if self.path is None:
            raise SceneError("This scene has no file yet. Save it first.")
        return parse_scene(read_scene_text(self.path), source=str(self.path))

    def revert(self, text: str = "Revert to file") -> None:
        """Take what the file holds now, as one step of undo.

        Raises `SceneError` if the file cannot be read; the scene stays as it is.

        Parameters
        ----------
        text : str
            What the step is called.
        """
        if self.path is None:
            raise SceneError("This scene has no file yet. Save it first.")
        digest = file_digest(self.path)
        content = read_scene_text(self.path)
        load_plugins_of_text(content, self.path.parent)
        scene = parse_scene(content, source=str(self.path))
        self.text = content
        self._digest = digest
        self.edit(scene, text)
        self.undo_stack.setClean()
        self.title_changed.emit()

    def keep_mine(self) -> None:
        """Stand by the scene though its file holds something else: it counts as unsaved, and saving asks nothing."""
        if self.path is not None:
            self._digest = file_digest(self.path)
            self.undo_stack.resetClean()
            self.title_changed.emit()

    def save(self, path: str | Path | None = None) -> None:
        """Save to `path`, or to where the scene came from; comments of the file it came from are kept.

        Raises `SceneError` if that cannot be written, or is a scene that comes with the program.
        """
        target = Path(path) if path is not None else self.path
        if target is None:
            raise SceneError("This scene has no file yet. Save it under a name.")
        if is_shipped_scene(target):
            raise SceneError(
                f"{target.name} is bundled with the program and cannot be overwritten. Save in another folder."
            )
        self.text = save_scene(self.scene, target, base=self.text)
        self._digest = text_digest(self.text)
        self.path = self.origin = target.resolve()
        self.undo_stack.setClean()
        self.title_changed.emit()

    def new_gesture(self) -> int:
        """A number for one drag or one slider movement: edits of one gesture are one step of undo."""
        self._last_gesture += 1
        return self._last_gesture

    def edit(self, scene: Scene, text: str, gesture: int = 0) -> None:
        """Replace the scene, as one step of undo called `text` ("Move cylinder 3").

        Parameters
        ----------
        gesture : int
            From `new_gesture`: consecutive edits of the same gesture merge; 0 never merges.
        """
        if scene != self.scene:
            self.going_on = gesture != 0 and gesture == self._edited_in
            self._edited_in = gesture
            try:
                self.undo_stack.push(_SceneEdit(self, scene, text, gesture))
            finally:
                self.going_on = False

    def set_value(self, key: str, value: Any, text: str, gesture: int = 0) -> None:
        """Change one value by its dotted key.

        Raises `SceneError` if the value is not valid; the scene stays as it is.
        """
        self.edit(with_values(self.scene, {key: value}), text, gesture)

    def apply_fix(self, fix: Fix) -> None:
        """Carry out the fix of a problem, as one step of undo.

        Raises `SnakeStudioError` if what it changes is gone; the scene stays as it is.
        """
        self.edit(with_values(self.scene, dict(fix.values)), f"Fix: {fix.label.lower()}")

    def go_to(self, step: int) -> None:
        """Undo or redo until so many steps are done: one change of the scene, however many steps lie between."""
        before = self.scene
        self._jumping = True
        try:
            self.undo_stack.setIndex(step)
        finally:
            self._jumping = False
        if self.scene is not before:
            self.scene_changed.emit(before, self.scene)

    def renew_kinds(self) -> None:
        """Let the scene be of the kinds of plug-ins as they are loaded now: no step of undo, and nothing to be saved.

        Raises `SceneError` if its values do not suit them; it stays as it is.
        """
        before = self.scene
        after = renewed(self.scene)
        self.scene = after
        self.kinds_changed.emit()
        if after is not before:
            self.scene_changed.emit(before, after)

    def _set_scene(self, scene: Scene) -> None:
        with contextlib.suppress(
            SceneError
        ):  # values of before that the kind of now refuses stay as they are
            scene = renewed(scene)
        before = self.scene
        self.scene = scene
        if not self._jumping:
            self.scene_changed.emit(before, scene)
