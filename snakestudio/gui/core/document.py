"""The open document: the scene being edited, its file, and the undo stack of all edits."""

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
from snakestudio.viewmodel.scene.empty_scene import empty_scene


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

    `path` is the file to save to. `origin` is the file that the scene was read from. They differ for
    a bundled scene, which is opened as a copy that has no file yet.

    Signals
    -------
    scene_changed(before: Scene, after: Scene)
        After every edit, undo, redo, and after opening a file.
    kinds_changed()
        Kinds of plug-ins were loaded, unloaded or reloaded; the scene already uses the present ones.
    opened()
        Another file or a new scene was opened.
    title_changed()
        Path or dirty state changed.
    history_changed()
        Steps were added, removed, undone or redone, or the saved step changed. Unlike the signals of
        the stack, it is not emitted while the stack is destroyed and can no longer be read.
    """

    scene_changed = Signal(object, object)
    kinds_changed = Signal()
    opened = Signal()
    title_changed = Signal()
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scene = empty_scene()
        self.path: Path | None = None
        self.origin: Path | None = None
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self._on_clean)
        self.undo_stack.indexChanged.connect(self._on_index)
        self.text: str | None = None
        """Content of the file it was opened from or saved to, so that its comments are preserved."""
        self._digest: bytes | None = None
        self._last_gesture = self._edited_in = 0
        self.gesture_continues = False
        """Whether the present change continues the gesture of the previous change."""
        self._jumping = False
        self.value_commands: list[tuple[str, Callable[[tuple[str, ...]], object]]] = []
        """Additional entries in the menu of a scene value: text, and callable that gets the value's
        keys."""

    def _on_clean(self, clean: bool) -> None:
        self.title_changed.emit()
        self.history_changed.emit()

    def _on_index(self, index: int) -> None:
        self.history_changed.emit()

    @property
    def dirty(self) -> bool:
        """Whether there are unsaved changes."""
        return not self.undo_stack.isClean()

    @property
    def base_dir(self) -> Path | None:
        """Folder of relative paths in the scene."""
        return self.origin.parent if self.origin is not None else None

    @property
    def name(self) -> str:
        """Name of the file, or a suggested one."""
        return self.origin.name if self.origin is not None else "untitled.toml"

    @property
    def title(self) -> str:
        """Name for titles, which marks a copy that has no file yet."""
        return (
            f"Copy of {self.name}" if self.path is None and self.origin is not None else self.name
        )

    def open(self, path: str | Path) -> None:
        """Open a scene file, or a copy of a bundled one.

        Raises `SceneError` if it cannot be read; the open document is unchanged.
        """
        path = Path(path)
        digest = file_digest(path)  # before reading, so that a change meanwhile is detected
        text = read_scene_text(path)
        load_plugins_of_text(text, path.parent)
        scene = parse_scene(text, source=str(path))
        if path.suffix.lower() == ".csv":  # saving must never overwrite exported data with a scene
            self._replace(scene, None, text, None)
        elif is_shipped_scene(path):
            self._replace(scene, None, text, None, origin=path.resolve())
        else:
            self._replace(scene, path.resolve(), text, digest)

    def new(self, scene: Scene | None = None) -> None:
        """Open a new scene without a file."""
        self._replace(scene or empty_scene(), None, None, None)

    def restore(self, scene: Scene, path: Path | None) -> None:
        """Restore an unsaved scene as one edit on top of its file, so that undo returns to the saved state.

        Parameters
        ----------
        path : Path or None
            Its file; if that can no longer be read, saving recreates it.
        """
        try:
            if path is None:
                self.new()
            else:
                self.open(path)
        except SceneError:
            self._replace(empty_scene(), path, None, None)
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
        self.undo_stack.setClean()  # clearing an empty stack without a clean step would leave it unclean
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
        """Return whether the file still has the content read or saved last; "same" for a scene without a file."""
        if self.path is None or self._digest is None:
            return "same"
        now = file_digest(self.path)
        return "gone" if now is None else "same" if now == self._digest else "changed"

    def read_file(self) -> Scene:
        """Return the scene as it is in its file now.

        Raises `SceneError` if there is no file, or it cannot be read.
        """
        if self.path is None:
            raise SceneError("This scene has no file yet. Save it first.")
        return parse_scene(read_scene_text(self.path), source=str(self.path))

    def revert(self, text: str = "Revert to file") -> None:
        """Load the present content of the file, as one step of undo.

        Raises `SceneError` if the file cannot be read; the scene is unchanged.

        Parameters
        ----------
        text : str
            Name of the step.
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
        """Keep the scene although its file has changed: it counts as unsaved, and saving does not ask again."""
        if self.path is not None:
            self._digest = file_digest(self.path)
            self.undo_stack.resetClean()
            self.title_changed.emit()

    def save(self, path: str | Path | None = None) -> None:
        """Save to `path`, or to the scene's file; comments of the file that it was read from are preserved.

        Raises `SceneError` if the file cannot be written or is a bundled scene.
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
        """Return a number for one drag or slider movement: edits of one gesture are one step of undo."""
        self._last_gesture += 1
        return self._last_gesture

    def edit(self, scene: Scene, text: str, gesture: int = 0) -> None:
        """Replace the scene, as one step of undo named `text` ("Move cylinder 3").

        Parameters
        ----------
        gesture : int
            From `new_gesture`: consecutive edits of the same gesture merge; 0 never merges.
        """
        if scene != self.scene:
            self.gesture_continues = gesture != 0 and gesture == self._edited_in
            self._edited_in = gesture
            try:
                self.undo_stack.push(_SceneEdit(self, scene, text, gesture))
            finally:
                self.gesture_continues = False

    def set_value(self, key: str, value: Any, text: str, gesture: int = 0) -> None:
        """Change one value by its dotted key.

        Raises `SceneError` if the value is not valid; the scene is unchanged.
        """
        self.edit(with_values(self.scene, {key: value}), text, gesture)

    def apply_fix(self, fix: Fix) -> None:
        """Apply the fix of a problem, as one step of undo.

        Raises `SnakeStudioError` if the value no longer exists; the scene is unchanged.
        """
        self.edit(with_values(self.scene, dict(fix.values)), f"Fix: {fix.label.lower()}")

    def jump_to(self, step: int) -> None:
        """Undo or redo to the state after `step` steps, as a single change of the scene."""
        before = self.scene
        self._jumping = True
        try:
            self.undo_stack.setIndex(step)
        finally:
            self._jumping = False
        if self.scene is not before:
            self.scene_changed.emit(before, self.scene)

    def refresh_kinds(self) -> None:
        """Update the scene to the loaded kinds of plug-ins, without a step of undo or an unsaved change.

        Raises `SceneError` if its values are not valid for them; the scene is unchanged.
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
        ):  # values that the present kind refuses are left unchanged
            scene = renewed(scene)
        before = self.scene
        self.scene = scene
        if not self._jumping:
            self.scene_changed.emit(before, scene)
