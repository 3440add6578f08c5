"""Methods of remote control by name, with their parameters; all run in the window's thread."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QSettings, QSize
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio._version import __version__
from snakestudio.errors import SnakeStudioError
from snakestudio.export.formats import (
    EXPORTS,
    ExportKind,
    Subject,
    format_of,
    is_possible,
    named_format,
    of_subject,
    options_of,
    write_as,
)
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.remote.allowed import COMMANDS, SAFE_WITH_TORQUE
from snakestudio.inputs import local_path
from snakestudio.model.columns import column_names, columns_between
from snakestudio.model.edits import get_value, tree, with_values
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.remote.protocol import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_NOW,
    LongWork,
    RemoteError,
)

_TORQUE = (
    "A robot may have torque. Disarm it first; until then only reading, stop, and the commands stop_robot and "
    "disarm_robot are allowed."
)
_DIALOG = "A dialog is open in the window. Close it first."
_EXPORTED: tuple[Subject, ...] = ("run", "contact_problem", "scene")
"""What `export` writes."""

_MOST_STEPS = 1_000_000


class Robot(Protocol):
    """Robot interface limited to switching torque off."""

    @property
    def connected(self) -> bool:
        """Whether a robot is connected."""
        ...

    @property
    def movable(self) -> bool:
        """Whether torque may be on."""
        ...

    def stop(self) -> object:
        """Stop the robot."""
        ...


class Actions(Protocol):
    """Commands of the window."""

    commands: Any

    def __getitem__(self, name: str) -> QAction:
        """The action of a command."""
        ...


class Files(Protocol):
    """Recent files."""

    recent: RecentFiles


class Runs(Protocol):
    """Recorded runs."""

    def open(self, path: Path, name: str = "") -> None:
        """Open and show a run file."""
        ...


class Picture(Protocol):
    """3D view."""

    def image(self, size: QSize | None = None) -> QImage:
        """Return the image of the view."""
        ...


class Sources(Protocol):
    """What can be exported."""

    def source(self, kind: ExportKind) -> Callable[[], object] | None:
        """Return the function that returns what a format exports; None if there is no run."""
        ...


class RemoteContext(Protocol):
    """Context of the methods."""

    window: QWidget
    settings: QSettings
    document: Document
    session_controller: SessionController

    @property
    def robot_controller(self) -> Robot:
        """Robot, if connected."""
        ...

    @property
    def action_registry(self) -> Actions:
        """Commands."""
        ...

    @property
    def files(self) -> Files:
        """Scene files."""
        ...

    @property
    def open_runs(self) -> Runs:
        """Recorded runs."""
        ...

    @property
    def exporter(self) -> Sources:
        """Exports."""
        ...

    @property
    def viewport(self) -> Picture:
        """3D view."""
        ...


def _form(method: Callable[..., Any]) -> str:
    """Call signature of a method with default values."""
    parameters = inspect.signature(method).parameters.values()
    texts = [
        each.name if each.default is each.empty else f"{each.name}={each.default!r}"
        for each in parameters
    ]
    return f"{method.__name__}({', '.join(texts)})"


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise RemoteError(INVALID_PARAMS, f"{name} is not a string. Give {name} as a string.")
    return value


class Methods:
    """Methods available through `call`; every public method of this class can be called remotely."""

    def __init__(self, context: RemoteContext) -> None:
        self._context = context
        self._table: dict[str, Callable[..., Any]] = {
            name: method
            for name, method in inspect.getmembers(self, inspect.ismethod)
            if not name.startswith("_") and name != "call"
        }

    def call(self, name: str, params: dict[str, Any]) -> Any:
        """Call a method and return its result; `LongWork` if it takes time.

        Raises `RemoteError` if the method does not exist, its parameters are invalid, or it fails.
        """
        method = self._table.get(name)
        if method is None:
            known = ", ".join(self._table)
            raise RemoteError(
                METHOD_NOT_FOUND, f"There is no method {name[:60]!r}. Call one of: {known}."
            )
        if name == "set":
            return self.set(**{"values": params})
        try:
            inspect.signature(method).bind(**params)
        except TypeError as error:
            raise RemoteError(
                INVALID_PARAMS, f"The parameters are invalid ({error}). Call {_form(method)}."
            ) from None
        try:
            return method(**params)
        except SnakeStudioError as error:
            raise RemoteError(INVALID_PARAMS, str(error)) from None
        except OSError as error:  # invalid path
            why = error.strerror or str(error)
            raise RemoteError(
                INVALID_PARAMS, f"{name} failed ({why}). Check its parameters."
            ) from None

    # --- queries

    def methods(self) -> list[dict[str, str]]:
        """Return all methods with their signature and description."""
        return [
            {"method": name, "call": _form(each), "about": (each.__doc__ or "").partition("\n")[0]}
            for name, each in self._table.items()
        ]

    def state(self) -> dict[str, Any]:
        """Return the state of the window."""
        c = self._context
        session_controller = c.session_controller
        status = c.session_controller.status
        snapshot = session_controller.displayed
        recording = session_controller.recording
        return {
            "version": __version__,
            "source": session_controller.source,
            "state": status.state,
            "message": status.message,
            "problems": [problem.sentence() for problem in status.problems],
            "pending": list(status.pending),
            "time_s": None if snapshot is None else snapshot.time,
            "duration_s": c.document.scene.run.duration_s,
            "rows": 0 if recording is None else len(recording),
            "speed": session_controller.session.speed,
            "real_time_factor": session_controller.session.real_time_factor,
            "playing": session_controller.playing,
            "scene": str(c.document.path) if c.document.path is not None else c.document.name,
            "edited": c.document.dirty,
            "robot_connected": c.robot_controller.connected,
            "robot_may_have_torque": c.robot_controller.movable,
        }

    def get(self, key: str = "") -> Any:
        """Return the value of the scene at a dotted key, such as gait.amplitude_deg; the whole scene without a key."""
        scene = self._context.document.scene
        return tree(scene if key == "" else get_value(scene, _text(key, "key")))

    def columns(self) -> list[str]:
        """Return the names of the columns of the shown run."""
        return list(column_names(self._recording().schema))

    def values(self, names: object = None) -> dict[str, float]:
        """Return the values of columns in the shown row; all columns without names."""
        recording = self._recording()
        known = column_names(recording.schema)
        if names is not None and not (
            isinstance(names, list) and all(isinstance(name, str) for name in names)
        ):
            raise RemoteError(
                INVALID_PARAMS, 'names is not a list of strings. Give it like ["com_x_m"].'
            )
        chosen = known if names is None else tuple(names)
        for name in chosen:
            if name not in known:
                raise RemoteError(
                    INVALID_PARAMS,
                    f"The run has no column {name[:60]!r}. Call columns for the available names.",
                )
        cursor = self._context.session_controller.cursor
        index = len(recording) - 1 if cursor is None else min(cursor, len(recording) - 1)
        return dict(
            zip(
                chosen,
                columns_between(recording, chosen, index, index + 1)[0].tolist(),
                strict=True,
            )
        )

    def commands(self) -> list[dict[str, Any]]:
        """Return the menu commands that run_command can call."""
        listed = []
        for spec in self._specs().values():
            action = self._context.action_registry[spec.id]
            entry = {
                "id": spec.id,
                "menu": spec.menu,
                "text": action.text().replace("&", ""),
                "tip": spec.tip,
            }
            listed.append({**entry, "enabled": action.isEnabled(), "on": action.isChecked()})
        return listed

    def screenshot(self, path: str, of: str = "window") -> str:
        """Save an image of the window or of the 3D view (of = "viewport") as PNG; returns its path."""
        if of not in ("window", "viewport"):
            raise RemoteError(
                INVALID_PARAMS, "of is neither window nor viewport. Give one of them."
            )
        self._no_torque()
        target = self._target(path, (".png",))
        image = (
            self._context.viewport.image()
            if of == "viewport"
            else self._context.window.grab().toImage()
        )
        write_as(EXPORTS["screenshot"], image, target)
        return str(target)

    def export(
        self,
        path: str,
        force: bool = False,
        kind: str = "",
        options: dict[str, Any] | None = None,
    ) -> LongWork:
        """Export the shown run or the scene in a format (default: by the suffix of the path); returns its path."""
        export_kind = self._export_kind(path, kind)
        if export_kind.subject != "scene":
            self._recording()
        target = self._target(path, export_kind.endings)
        if os.path.isfile(target) and force is not True:
            raise RemoteError(
                NOT_NOW,
                f"{target} already exists. Give another path, or force=true to replace it.",
            )
        if options is not None and not isinstance(options, dict):
            raise RemoteError(INVALID_PARAMS, "options is not an object. Give values by name.")
        chosen = options_of(export_kind, options or {})
        source = self._context.exporter.source(export_kind)
        if source is None or not is_possible(export_kind, self._context.document.scene):
            raise RemoteError(
                NOT_NOW, f"{export_kind.title} cannot represent this scene. Choose another format."
            )

        def work(progress: Callable[[float], bool]) -> str | None:
            written = write_as(export_kind, source(), target, chosen, progress)
            return None if written is None else str(written.path)

        return LongWork("export", work)

    def formats(self) -> list[dict[str, Any]]:
        """Return the formats of export with their file extensions."""
        return [
            {
                "kind": kind.name,
                "exports": kind.subject,
                "endings": list(kind.endings),
                "about": kind.help,
            }
            for kind in of_subject(*_EXPORTED)
        ]

    # --- actions

    def open(self, path: str, discard: bool = False) -> str:
        """Open a scene (.toml), the scene of an exported CSV, or a recorded run (.mcap); returns its path."""
        self._may_change()
        c = self._context
        file = local_path(_text(path, "path"))
        if not file.is_absolute():
            raise RemoteError(
                INVALID_PARAMS, f"{path} is not an absolute path. Give the whole path."
            )
        if file.suffix.lower() == ".mcap":
            from snakestudio.runfile.mcap import read_info

            read_info(file)
            c.open_runs.open(file)
            return str(file)
        if c.document.dirty and discard is not True:
            raise RemoteError(
                NOT_NOW,
                "The scene has unsaved changes. Save it in the window, or give discard=true.",
            )
        c.document.open(file)
        c.files.recent.remember(file)
        return str(file)

    def set(self, values: dict[str, Any]) -> dict[str, Any]:
        """Change scene values by dotted key as one step of undo; returns their new values."""
        self._may_change()
        if not values:
            raise RemoteError(
                INVALID_PARAMS,
                "No values were given. Give values by dotted key, such as gait.amplitude_deg.",
            )
        document = self._context.document
        try:
            scene = with_values(document.scene, values)
            now = {key: tree(get_value(scene, key)) for key in values}
        except SnakeStudioError as error:
            raise RemoteError(INVALID_PARAMS, str(error)) from None
        document.edit(scene, "Remote change")
        return now

    def play(self) -> None:
        """Run the simulation as soon as its engine is prepared."""
        self._may_change()
        session_controller = self._context.session_controller
        session_controller.close_run()
        session_controller.set_cursor(None)
        session_controller.session.play()

    def pause(self) -> None:
        """Pause the simulation, or the playback of a recorded run."""
        self._context.session_controller.session.pause()
        self._context.session_controller.pause_recorded()

    def stop(self) -> None:
        """Pause, and stop a connected robot."""
        if self._context.robot_controller.connected:
            self._context.robot_controller.stop()
        self.pause()

    def reset(self) -> None:
        """Return to t = 0."""
        self._may_change()
        self._context.session_controller.reset()

    def step(self, n: object = None) -> None:
        """Advance by n time steps (default: one control period) and pause."""
        self._may_change()
        if n is not None and (
            isinstance(n, bool) or not isinstance(n, int) or not 0 < n <= _MOST_STEPS
        ):
            raise RemoteError(
                INVALID_PARAMS, f"n is not a number of steps. Give 1 to {_MOST_STEPS}."
            )
        self._context.session_controller.session.step(n)

    def speed(self, factor: object) -> None:
        """Set the simulation speed: 1 is real time, 0 is as fast as possible."""
        self._may_change()
        if (
            isinstance(factor, bool)
            or not isinstance(factor, int | float)
            or not 0 <= factor <= 1000
        ):
            raise RemoteError(
                INVALID_PARAMS, "factor is not a speed. Give a number from 0 to 1000."
            )
        self._context.session_controller.set_speed(float(factor) if factor else math.inf)

    def run_command(self, id: str) -> None:
        """Call a menu command by its id; see commands."""
        spec = self._specs().get(_text(id, "id"))
        if spec is None:
            raise RemoteError(
                METHOD_NOT_FOUND,
                f"{id[:60]!r} cannot be called remotely. Call commands for the available ids.",
            )
        if spec.id not in SAFE_WITH_TORQUE:
            self._may_change()
        action = self._context.action_registry[spec.id]
        action.setEnabled(spec.enabled(self._context))
        if not action.isEnabled():
            raise RemoteError(
                NOT_NOW,
                f"{spec.text or spec.id} is not possible now. Check the state of the window.",
            )
        action.trigger()

    # --- common

    def _specs(self) -> dict[str, Any]:
        return {
            spec.id: spec for spec in self._context.action_registry.commands if spec.id in COMMANDS
        }

    def _recording(self) -> Recording:
        recording = self._context.session_controller.recording
        if recording is None or not len(recording):
            raise RemoteError(NOT_NOW, "There is no run yet. Play the simulation, or open a run.")
        return recording

    def _export_kind(self, path: object, name: object) -> ExportKind:
        if name == "":
            return format_of(local_path(_text(path, "path")), *_EXPORTED)
        return named_format(_text(name, "kind"), *_EXPORTED)

    def _no_torque(self) -> None:
        """Refuse while a robot may have torque: calls could move it or block the window for too long."""
        if self._context.robot_controller.movable:
            raise RemoteError(NOT_NOW, _TORQUE)

    def _may_change(self) -> None:
        self._no_torque()
        if QApplication.activeModalWidget() is not None:
            raise RemoteError(NOT_NOW, _DIALOG)

    def _target(self, path: object, endings: Sequence[str]) -> Path:
        target = local_path(_text(path, "path"))
        if not target.is_absolute():
            raise RemoteError(
                INVALID_PARAMS, f"{target} is not an absolute path. Give the whole path."
            )
        if endings and target.suffix.lower() not in endings:
            known = ", ".join(endings)
            raise RemoteError(
                INVALID_PARAMS, f"{target.name} does not end in {known}. Give a path that does."
            )
        return target
