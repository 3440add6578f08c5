"""Live stream of the shown run, robot or simulation to other programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Signal, Slot

from snakestudio.errors import Problem, UsageError
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import StoredOptions, Text
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.banner import Banner
from snakestudio.stream.publisher import Stream, open_stream
from snakestudio.stream.sampler import StreamSource
from snakestudio.stream.target import DEFAULT_RATE_HZ, FOXGLOVE_PORT, RERUN_PORT, Target
from snakestudio.text import counted
from snakestudio.viewmodel.start_target import HERE

_WATCH_MS = 250

Opener = Callable[[Target, Callable[[], StreamSource | None], Callable[[str], None]], Stream]


@dataclass(frozen=True)
class StreamChoices:
    """Destination chosen last."""

    kind: str = "foxglove"
    """Kind of target: "foxglove" (server of the program) or "rerun" (viewer that listens)."""

    host: str = HERE
    """Address that the server listens on; reset to the loopback interface in each session."""

    port: int = FOXGLOVE_PORT
    viewer_host: str = HERE
    viewer_port: int = RERUN_PORT
    rate_hz: float = DEFAULT_RATE_HZ

    def target(self) -> Target:
        """Return the destination in the form that opens the stream.

        Raises `UsageError` if rate, port or host are invalid.
        """
        kind: Literal["rerun", "foxglove"] = "rerun" if self.kind == "rerun" else "foxglove"
        host, port = (
            (self.viewer_host.strip(), self.viewer_port)
            if kind == "rerun"
            else (self.host, self.port)
        )
        if not 0 < port <= 65535:
            raise UsageError(f"{port} is not a port. Give a number from 1 to 65535.")
        if not host or any(mark.isspace() or mark in "/[]" for mark in host):
            raise UsageError("The viewer needs a host. Give the name or address of its computer.")
        return Target(kind, host, port, None, self.rate_hz)


_CHOICES = StoredOptions(
    "streaming",
    StreamChoices(),
    {
        "kind": Text("Stream To", "Kind of target", choices=("foxglove", "rerun")),
        "host": Text("Stream Host", "Address that the server listens on"),
        "port": Text("Stream Port", "TCP port of the server", 1, 65535),
        "viewer_host": Text("Viewer Host", "Computer of the viewer"),
        "viewer_port": Text("Viewer Port", "TCP port of the viewer", 1, 65535),
        "rate_hz": Text("Stream Rate", "Samples per second of simulated time"),
    },
)


class Streamer(QObject):
    """Switch of the live stream; off at program start.

    Parameters
    ----------
    session_controller : SessionController
        Session controller whose recording and cursor are streamed.
    settings : QSettings
        Stores the destination.
    opener : callable
        `open_stream`, replaceable in tests.

    Signals
    -------
    changed()
        The stream started or ended, or the number of receivers changed.
    """

    changed = Signal()
    _noted = Signal(str)

    def __init__(
        self,
        session_controller: SessionController,
        banner: Banner,
        settings: QSettings,
        parent: QObject,
        opener: Opener = open_stream,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._banner = banner
        self._settings = settings
        self._open = opener
        self._last_shown: StreamSource | None = None
        self._stream: Stream | None = None
        self._opening_task: Task[Stream] | None = None
        self._opened: list[Stream] = []
        """Stream, once the task has opened it."""
        self._clients = 0
        self._noted.connect(self._on_note, Qt.ConnectionType.QueuedConnection)
        for signal in (
            session_controller.frame,
            session_controller.cursor_changed,
            session_controller.recording_changed,
            session_controller.source_changed,
        ):
            signal.connect(self._poll)
        self._timer = QTimer(self)
        self._timer.setInterval(_WATCH_MS)
        self._timer.timeout.connect(self._watch)
        self._poll()

    @property
    def choices(self) -> StreamChoices:
        """Destination chosen last."""
        chosen = _CHOICES.load(self._settings)
        try:
            chosen.target()
        except UsageError:
            return StreamChoices()
        return chosen

    def choose(self, choices: StreamChoices) -> None:
        """Store the destination; an address that other computers can reach must be chosen again in each session."""
        if choices.target().is_open:
            choices = replace(choices, host=HERE)
        _CHOICES.store(self._settings, choices)

    @property
    def on(self) -> bool:
        """Whether the stream is running or starting."""
        return self._stream is not None or self._opening_task is not None

    @property
    def address(self) -> str:
        """Address that programs connect to; "" while off."""
        return "" if self._stream is None else self._stream.address

    @property
    def clients(self) -> int:
        """Number of receivers."""
        return self._clients

    @property
    def doing(self) -> str:
        """Short status text; "" while off."""
        if self._stream is None:
            return "stream: starting" if self._opening_task is not None else ""
        if self._stream.address.startswith("rerun"):
            return f"stream to {self._stream.address.removeprefix('rerun+http://').removesuffix('/proxy')}"
        return f"stream {self.address}, {counted(self._clients, 'client')}"

    def toggle(self) -> None:
        """Start the stream to the destination chosen last, or stop it."""
        if self.on:
            self.stop()
        else:
            self.start(self.choices.target())

    def start(self, target: Target) -> None:
        """Start the stream to a target; shows a notice on failure."""
        self.stop()
        self._banner.clear()
        note = self._noted.emit
        opener = self._open

        opened: list[Stream] = []

        def work(progress: object) -> Stream:
            opened.append(opener(target, lambda: self._last_shown, note))
            return opened[0]

        self._opened = opened
        self._opening_task = Task("stream", work, self)
        self._opening_task.finished.connect(self._on_opened)
        self._opening_task.failed.connect(self._on_failed)
        self.changed.emit()

    def stop(self) -> None:
        """Stop the stream."""
        opening = self._opening_task
        opened = self._opened
        was_on = self.on
        self._opening_task = self._stream = None
        self._timer.stop()
        self._clients = 0
        if opening is not None:
            opening.discard()

        def end(progress: object) -> None:
            if opening is not None:
                opening.wait()
            for stream in opened:
                stream.close()

        if was_on:
            Task("end of the stream", end, self)  # a viewer that hangs does not block the window
            self.changed.emit()

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self.stop()
        close_tasks(self)

    def _poll(self) -> None:
        session_controller = self._session_controller
        recording = session_controller.recording
        self._last_shown = (
            None
            if recording is None
            else StreamSource(recording, session_controller.cursor, session_controller.base_dir)
        )

    @Slot(object)
    def _on_opened(self, stream: Stream) -> None:
        self._opening_task = None
        self._stream = stream
        self._timer.start()
        self.changed.emit()

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._opening_task = None
        self._banner.show_notice("warning", problem.sentence())
        self.changed.emit()

    def _watch(self) -> None:
        stream = self._stream
        if stream is not None and stream.trouble:
            self.stop()
        elif stream is not None and stream.clients != self._clients:
            self._clients = stream.clients
            self.changed.emit()

    def _on_note(self, text: str) -> None:
        self._banner.show_notice("warning", text)
