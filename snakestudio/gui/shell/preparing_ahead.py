"""Prepares the engines that may be needed next while the program idles, at idle priority, and never beside a robot."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from snakestudio.engines import registry
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.inputs import SCENE, read_toml
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.session.status import State
from snakestudio.session.time_left import percent
from snakestudio.viewmodel.gallery import entries

__all__ = ["PreparingAhead", "next_kind", "on_battery"]

_KEY = "engines/prepare_ahead"
_LOOK_MS = 500
_IDLE_S = 5.0
"""How long the program must have stood still before something is prepared that nobody asked for, s."""

_IDLE_STATES: tuple[State, ...] = ("ready", "paused", "finished")


class PreparingAhead(QObject):
    """Begins and ends what is prepared ahead of need: one engine at a time.

    Parameters
    ----------
    preparations : EngineCompiler
    settings : QSettings
        Keeps whether it is wanted.
    state : callable
        What the session does.
    busy : callable
        Whether the window does something else that takes processor time.
    robot : callable
        Whether a robot is connected.
    recent : callable
        Scene files opened lately, newest first.
    clock : callable
        Time, s.
    battery : callable
        Whether the machine runs on its battery.

    Signals
    -------
    changed()
        Something is prepared, another thing is, or it is further.
    """

    changed = Signal()

    def __init__(
        self,
        preparations: EngineCompiler,
        settings: QSettings,
        *,
        state: Callable[[], State],
        busy: Callable[[], bool],
        robot: Callable[[], bool],
        recent: Callable[[], Iterable[Path]],
        clock: Callable[[], float] = time.monotonic,
        battery: Callable[[], bool] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._preparations, self._settings = preparations, settings
        self._state, self._busy, self._robot, self._recent = state, busy, robot, recent
        self._clock, self._battery = clock, battery or on_battery
        self._wanted = settings.value(_KEY, True, bool) is not False
        self._since = clock()
        self._failed: set[str] = set()
        self._search: Task[str] | None = None
        self.doing = ""
        """What is prepared and how far it is; empty while nothing is."""
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    @property
    def wanted(self) -> bool:
        """Whether engines may be prepared ahead of need."""
        return self._wanted

    def set_wanted(self, wanted: bool) -> None:
        """Let engines be prepared ahead of need, or not; what is under way ends."""
        self._wanted = wanted
        self._settings.setValue(_KEY, wanted)
        self.look()

    def look(self) -> None:
        """Begin, end, or say how far it is."""
        if not self._wanted or self._robot():
            self._preparations.stop_ahead()
            self._since = self._clock()
            if self._search is not None:
                self._search.discard()
                self._search = None
            self._say("")
            return
        under_way = self._preparations.look_ahead()
        if under_way is not None:
            kind, stage = under_way
            if stage.error:
                self._failed.add(kind)
            self._since = self._clock()
            done = f"Preparing the {FORMULATIONS[kind].short} engine in the background, {percent(stage.fraction)}"
            self._say("" if stage.ended else done)
            return
        self._say("")
        if self._state() not in _IDLE_STATES or self._busy():
            self._since = self._clock()
        elif self._search is None and self._clock() - self._since >= _IDLE_S and not self._battery():
            recent, failed = list(self._recent()), frozenset(self._failed)
            # All sources are read to see what is compiled: in a thread, the window does not halt for that.
            self._search = Task("search for the next engine", lambda _: next_kind(recent, failed), self)
            self._search.finished.connect(self._begin)

    def _begin(self, kind: str | None) -> None:
        """Begin what was found to be next."""
        self._search = None
        self._since = self._clock()  # where there is nothing to do, that need not be found out all the time
        if kind is None or self._state() not in _IDLE_STATES or self._busy():
            return
        try:
            self._preparations.ahead(kind)
        except OSError:
            self._failed.add(kind)  # when it is needed, it is said why that cannot be

    def _say(self, doing: str) -> None:
        if doing != self.doing:
            self.doing = doing
            self.changed.emit()

    def close(self) -> None:
        """End it; call before the program quits."""
        self._timer.stop()
        self._preparations.stop_ahead()
        close_tasks(self)
        self._search = None


def next_kind(recent: Iterable[Path], without: Iterable[str] = ()) -> str | None:
    """The model that is most likely needed next and is not compiled: of recent scenes, then as the gallery has them."""
    missing = {kind for kind in FORMULATIONS if kind not in without and not _compiled(kind)}
    if not missing:
        return None
    for path in (*recent, *(entry.path for entry in entries())):
        kind = _kind_of(path)
        if kind in missing:
            return kind
    return min(missing, key=list(FORMULATIONS).index)


def _compiled(kind: str) -> bool:
    try:
        return registry.is_warm(kind)
    except OSError:  # nothing can be kept, so nothing is prepared ahead
        return True


def _kind_of(path: Path) -> str:
    try:
        return str(read_toml(path, SCENE)["model"]["kind"])
    except (ValueError, KeyError, TypeError):
        return ""


def on_battery(supplies: Path = Path("/sys/class/power_supply")) -> bool:
    """Whether the machine is known to run on its battery; that of a mouse is none of its own."""
    try:
        folders = list(supplies.iterdir())
    except OSError:
        return False
    return any(
        _says(folder / "type") == "Battery"
        and _says(folder / "scope") != "Device"
        and _says(folder / "status") == "Discharging"
        for folder in folders
    )


def _says(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
