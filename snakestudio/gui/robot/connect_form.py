"""What a connection is made of, as a form: profile, adapter, channel, rates; or an emulated robot; or a log."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QWidget,
)

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.task import Task
from snakestudio.link.bus.adapters import Adapter
from snakestudio.link.bus.drivers import channel_like
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Bus
from snakestudio.viewmodel.robot.services import LiveChoices, Services
from snakestudio.viewmodel.work import Progress

__all__ = ["KINDS", "ConnectForm", "options_of"]

KINDS = (
    ("can", "CAN Bus", "A robot at an adapter of this computer"),
    ("emulated", "Emulated Robot", "A robot that exists only in this computer and speaks as the real one does"),
    ("replay", "Replay a Log", "Frames that were recorded, played as if live; arming is impossible"),
)

_BITRATES = (125_000, 250_000, 500_000, 1_000_000)
_RECENT = "robot/profiles"
_KEPT = 8
_FIRST = "lab_robot"
"""The shipped profile that is offered first: the papers' robot, which the shipped scenes are about."""
_LOGS = "CAN logs (*.blf *.asc *.log *.trc *.txt);;All files (*)"
_PROFILES = "Robot profiles (*.toml);;All files (*)"

Option = str | int | float | bool


def options_of(text: str) -> dict[str, Option]:
    """Options typed as ``key=value, key=value``.

    Raises
    ------
    ValueError
        If that is not what was typed; says what is wrong.
    """
    options: dict[str, Option] = {}
    for part in filter(None, (each.strip() for each in text.replace(";", ",").split(","))):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not key or not value:
            raise ValueError(f"{part!r} is no option; write key=value, with commas between several.")
        options[key] = _value(value)
    return options


def _value(text: str) -> Option:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (lambda given: int(given, 0), float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class ConnectForm(QWidget):
    """The form; `bus` and `loaded` are what came of it.

    Parameters
    ----------
    services : Services
    settings : QSettings
        Keeps the profiles that were used.

    Signals
    -------
    changed()
        Something was chosen, or something that was looked for was found.
    """

    changed = Signal()

    def __init__(self, services: Services, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services, self._settings = services, settings
        self.loaded: LoadedProfile | None = None
        self.trouble = ""
        self._interfaces: list[Adapter] = []
        theme.follow(self, ConnectForm._dim_missing)
        self._look: Task[list[Adapter]] | None = None
        self._reading: Task[LoadedProfile] | None = None
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(16)
        self._form.setVerticalSpacing(10)
        self._form.addRow(self._kind_row())
        self.profile = QComboBox(self)
        self.profile.setAccessibleName("Robot profile")
        self.profile.activated.connect(self._read)
        self._form.addRow("&Profile", _with_button(self.profile, "Browse ...", self._browse, self))
        self.about = QLabel(self)
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        self._form.addRow("", self.about)
        self.interface = QComboBox(self)
        self.interface.setEditable(True)
        self.channel = QComboBox(self)
        self.channel.setEditable(True)
        self.bitrate = QComboBox(self)
        self.bitrate.setEditable(True)
        self.bitrate.addItems([str(rate) for rate in _BITRATES])
        self.options = QLineEdit(self)
        self.options.setPlaceholderText("none, or as port=43113, ttyBaudrate=115200")
        self.options.setToolTip("Further arguments of python-can for this adapter: key=value, key=value")
        self.interface_note = QLabel(self)
        self.interface_note.setWordWrap(True)
        self.interface_note.setProperty("role", "warning")
        self._form.addRow("&Interface", self.interface)
        self._form.addRow("", self.interface_note)
        self._form.addRow("C&hannel", self.channel)
        self._form.addRow("Bit &rate, bit/s", self.bitrate)
        self._form.addRow("&Options", self.options)
        self.on_ground = QCheckBox("&Moves on the ground of the open scene, and is seen by motion capture", self)
        self.on_ground.setToolTip("The joints drive the spatial model of the scene; its poses come by UDP at 20 Hz")
        self._form.addRow("", self.on_ground)
        self.file = QLineEdit(self)
        self.file.setPlaceholderText("A BLF, ASC or candump file")
        self.file_row = _with_button(self.file, "Browse ...", self._browse_log, self)
        self._form.addRow("&Log", self.file_row)
        self.loop = QCheckBox("Begin again at its &end", self)
        self._form.addRow("", self.loop)
        self._named = ""
        self._taking = False
        for box in (self.interface, self.channel, self.bitrate):
            box.editTextChanged.connect(self._on_bus)
            box.installEventFilter(self)
        for field in (self.options, self.file):
            field.textChanged.connect(self.changed)
        self.choose_kind("can")
        self._fill_profiles()

    def _kind_row(self) -> QWidget:
        row = QWidget(self)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 6)
        line.setSpacing(8)
        group = QButtonGroup(self)
        self._kinds: dict[str, QToolButton] = {}
        for kind, text, tip in KINDS:
            button = QToolButton(row)
            button.setText(text)
            button.setToolTip(tip)
            button.setCheckable(True)
            button.setMinimumHeight(theme.scaled(32))
            button.clicked.connect(lambda _=False, kind=kind: self.choose_kind(kind))
            group.addButton(button)
            line.addWidget(button)
            self._kinds[kind] = button
        line.addStretch(1)
        return row

    # --- what is chosen -------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Which of `KINDS`."""
        return next(kind for kind, button in self._kinds.items() if button.isChecked())

    def choose_kind(self, kind: str) -> None:
        """Show what a kind of connection needs."""
        self._kinds[kind].setChecked(True)
        for field in (self.interface, self.channel, self.bitrate, self.options):
            self._form.setRowVisible(field, kind == "can")
        self._form.setRowVisible(self.on_ground, kind == "emulated")
        self._form.setRowVisible(self.file_row, kind == "replay")
        self._form.setRowVisible(self.loop, kind == "replay")
        if kind == "can" and self._look is None and not self._interfaces:
            services = self._services

            def look(progress: Progress) -> list[Adapter]:
                return services.interfaces()

            self._look = Task("search for CAN adapters", look, self)
            self._look.finished.connect(self._on_adapters)
            self._look.failed.connect(lambda problem: self._on_adapters([]))
        self._on_bus()

    @property
    def choices(self) -> LiveChoices:
        """How the robot is watched at first; an emulated one on the ground says itself where its poses come."""
        return LiveChoices(twin=self.kind != "replay")

    def bus(self) -> Bus:
        """The bus that is chosen; of an emulated robot that of the profile.

        Raises
        ------
        ValueError
            If something was typed that cannot be; says what.
        """
        assert self.loaded is not None
        given = self.loaded.profile.bus
        if self.kind == "replay":
            options: dict[str, Option] = {"loop": self.loop.isChecked()}
            return given.model_copy(update={"interface": "replay", "channel": self.file.text(), "options": options})
        if self.kind == "emulated":
            return given
        rate = self.bitrate.currentText().replace(" ", "")
        if not rate.isdecimal() or not 1000 <= int(rate) <= 8_000_000:
            raise ValueError("Give the bit rate as a number from 1000 to 8000000 bit/s, as all nodes have it.")
        return given.model_copy(update={
            "interface": self.interface.currentText().strip(), "channel": self.channel.currentText().strip(),
            "bitrate": int(rate), "options": options_of(self.options.text()),
        })  # fmt: skip

    def problem(self) -> str:
        """What is missing, in a sentence; empty if it can be tried."""
        if self.trouble:
            return self.trouble
        if self.loaded is None:
            return "" if self._reading is not None else "Choose the profile of the robot."
        if self.kind == "replay" and not self.file.text().strip():
            return "Choose the log that is to be played."
        if self.kind == "replay" and not Path(self.file.text()).is_file():
            return f"There is no file {self.file.text()}; choose a BLF, ASC or candump log."
        if self.kind == "can" and not self.interface.currentText().strip():
            return "Choose the interface of the adapter."
        try:
            self.bus()
        except ValueError as error:
            return str(error)
        return ""

    # --- profiles -------------------------------------------------------------------------------------------------

    def _fill_profiles(self) -> None:
        recent = [Path(str(each)) for each in _listed(self._settings.value(_RECENT))]
        try:
            shipped = self._services.profiles()
        except SnakeStudioError as error:
            shipped, self.trouble = [], str(error)
        shipped = sorted(shipped, key=lambda path: (path.stem != _FIRST, path.stem))
        for path in dict.fromkeys([*(each for each in recent if each.is_file()), *shipped]):
            self.profile.addItem(path.stem.replace("_", " ").replace("-", " ").capitalize(), path)
            self.profile.setItemData(self.profile.count() - 1, str(path), Qt.ItemDataRole.ToolTipRole)
        if self.profile.count():
            self._read()

    def _browse(self) -> None:
        path = ask_open(self, "Robot Profile", FileKind.PROFILE, _PROFILES)
        if path is not None:
            self.choose_profile(path)

    def choose_profile(self, path: Path) -> None:
        """Take the profile of a file."""
        found = self.profile.findData(path)
        if found < 0:
            self.profile.insertItem(0, path.stem, path)
            found = 0
        self.profile.setCurrentIndex(found)
        self._read()

    def _read(self) -> None:
        """Read the chosen profile in a thread: the bus library is slow to load the first time."""
        path, services = self.profile.currentData(), self._services
        self.loaded, self.trouble = None, ""

        def read(progress: Progress) -> LoadedProfile:
            return services.load(path)

        if self._reading is not None:
            self._reading.discard()
        self._reading = Task("reading of the profile", read, self)
        self._reading.finished.connect(self._on_profile)
        self._reading.failed.connect(self._on_reading_failed)
        self.about.setText("Reading ...")
        self.changed.emit()

    def remember(self) -> None:
        """Offer this profile first the next time."""
        path = self.profile.currentData()
        recent = [str(path), *(each for each in _listed(self._settings.value(_RECENT)) if each != str(path))]
        self._settings.setValue(_RECENT, recent[:_KEPT])

    def _take(self, loaded: LoadedProfile) -> None:
        self.loaded = loaded
        given = loaded.profile
        self.about.setText(
            f"{given.name}: {given.n_joints} joints ({given.axes_text}), {len(given.nodes)} nodes, set-points at "
            f"{given.timing.set_point_rate_hz:g} Hz"
        )
        self._taking = True  # the channel comes with the interface
        self.interface.setEditText(given.bus.interface)
        self._taking = False
        self.channel.setEditText(given.bus.channel)
        self.bitrate.setEditText(str(given.bus.bitrate))
        self.options.setText(", ".join(f"{key}={value}" for key, value in given.bus.options.items()))

    # --- adapters -------------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_adapters(self, adapters: list[Adapter]) -> None:
        self._look = None
        self._list_interfaces(adapters)
        self._on_bus()

    @Slot(object)
    def _on_profile(self, loaded: LoadedProfile) -> None:
        self._reading = None
        self._take(loaded)
        self._on_bus()

    @Slot(object)
    def _on_reading_failed(self, problem: Problem) -> None:
        self._reading = None
        self.about.setText("")
        self.trouble = problem.sentence()
        self._on_bus()

    def _list_interfaces(self, found: list[Adapter]) -> None:
        self._interfaces = found
        typed = self.interface.currentText()
        self.interface.blockSignals(True)
        self.interface.clear()
        for one in found:
            self.interface.addItem(one.interface)
            if one.problem:
                self.interface.setItemData(self.interface.count() - 1, one.problem, Qt.ItemDataRole.ToolTipRole)
        self._dim_missing()
        self.interface.setEditText(typed)
        self.interface.blockSignals(False)

    def _dim_missing(self) -> None:
        for row, one in enumerate(self._interfaces):
            if one.problem:
                self.interface.setItemData(row, theme.colour("dim"), Qt.ItemDataRole.ForegroundRole)

    def _on_bus(self) -> None:
        name = self.interface.currentText().strip()
        known = next((one for one in self._interfaces if one.interface == name), None)
        note = known.problem if known is not None else ""
        self.interface_note.setText(note)
        self._form.setRowVisible(self.interface_note, bool(note) and self.kind == "can")
        like, line = channel_like(name), self.channel.lineEdit()
        if line is not None:
            line.setPlaceholderText(f"such as {like}" if like else "")
        if name != self._named:
            self._change_interface(known, like)
            self._named = name
        if known is not None and [self.channel.itemText(k) for k in range(self.channel.count())] != [*known.channels]:
            typed = self.channel.currentText()
            self.channel.blockSignals(True)
            self.channel.clear()
            self.channel.addItems(known.channels)
            self.channel.setEditText(typed)
            self.channel.blockSignals(False)
        self.changed.emit()

    def _change_interface(self, known: Adapter | None, like: str) -> None:
        """A channel of another interface means nothing to this one."""
        if not self._named or (known is None and not like) or self._taking:
            return
        channels = known.channels if known is not None else ()
        self.channel.blockSignals(True)
        self.channel.setEditText(channels[0] if channels else "")
        self.channel.blockSignals(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QComboBox):
            # What is typed replaces what stands there, with the mouse as with Tab; a second click sets the cursor.
            edit = watched.lineEdit()
            if edit is not None:
                QTimer.singleShot(0, edit, edit.selectAll)
        return super().eventFilter(watched, event)

    def _browse_log(self) -> None:
        path = ask_open(self, "Replay a Log", FileKind.FRAME_LOG, _LOGS)
        if path is not None:
            self.file.setText(str(path))


def _listed(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(each) for each in value]
    return [value] if isinstance(value, str) and value else []


def _with_button(field: QWidget, text: str, act: object, parent: QWidget) -> QWidget:
    box = QWidget(parent)
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    button = QToolButton(box)
    button.setText(text)
    button.clicked.connect(act)
    row.addWidget(field, 1)
    row.addWidget(button)
    return box
