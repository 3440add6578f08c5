"""Form of a connection: profile, adapter, channel and rates, or an emulated robot, or a log."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QComboBox, QLineEdit, QToolButton, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.editors import SuggestionEditor
from snakestudio.gui.forms.form_fields import Choice, FormField, Note, fields_of, form_field
from snakestudio.gui.forms.lines import line_of
from snakestudio.link.bus.adapters import Adapter
from snakestudio.link.bus.drivers import channel_like
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Bus
from snakestudio.viewmodel.robot.services import LiveChoices, Services
from snakestudio.viewmodel.work import Progress

KINDS = (
    ("can", "CAN Bus", "A robot connected to a CAN adapter of this computer"),
    (
        "emulated",
        "Emulated Robot",
        "A simulated robot that uses the same CAN protocol as the real one",
    ),
    (
        "replay",
        "Replay a Log",
        "Recorded frames, played as if live; arming is not possible",
    ),
)

_BITRATES = (125_000, 250_000, 500_000, 1_000_000)
_RECENT: Setting[tuple[str, ...]] = Setting(
    "robot/profiles", (), "Recent profiles", "Robot profiles connected last", remembered=True
)
_FIRST = "lab_robot"
"""Bundled profile offered first: the robot of the papers, used by the bundled scenes."""
_LOGS = "CAN logs (*.blf *.asc *.log *.trc *.txt);;All files (*)"
_PROFILES = "Robot profiles (*.toml);;All files (*)"

Option = str | int | float | bool


def options_of(text: str) -> dict[str, Option]:
    """Parse options typed as ``key=value, key=value``.

    Raises `ValueError` with a message if the text is invalid.
    """
    options: dict[str, Option] = {}
    for part in filter(None, (each.strip() for each in text.replace(";", ",").split(","))):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not key or not value:
            raise ValueError(
                f"{part!r} is not an option. Enter key=value pairs separated by commas."
            )
        options[key] = _value(value)
    return options


def _value(text: str) -> Option:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (lambda digits: int(digits, 0), float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class KindEditor(Editor):
    """Kind of connection with a button each."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget = QWidget(parent)
        group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        for kind, text, tip in KINDS:
            button = QToolButton(self.widget)
            button.setText(text)
            button.setToolTip(tip)
            button.setCheckable(True)
            button.setMinimumHeight(theme.scaled(32))
            button.clicked.connect(self.changed)
            group.addButton(button)
            self.buttons[kind] = button
        self.widget.setLayout(line_of(*self.buttons.values(), 1, margins=(0, 0, 0, 6)))

    @property
    def value(self) -> str:
        return next((kind for kind, button in self.buttons.items() if button.isChecked()), "")

    def set_value(self, value: Any) -> None:
        self.buttons[value].setChecked(True)


def _is_kind(kind: str) -> Any:
    return lambda now: now.kind == kind


@dataclass(frozen=True)
class ConnectChoices:
    """Values of the form."""

    kind: str = form_field("can", "", name="Kind of connection", wide=True, editor=KindEditor)
    profile: Path | None = form_field(None, "&Profile", name="Robot profile")
    interface: str = form_field(
        "", "&Interface", editor=SuggestionEditor, visible_if=_is_kind("can")
    )
    channel: str = form_field("", "C&hannel", editor=SuggestionEditor, visible_if=_is_kind("can"))
    bitrate: str = form_field(
        "",
        "Bit &rate, bit/s",
        editor=SuggestionEditor,
        choices=[Choice(str(rate), str(rate)) for rate in _BITRATES],
        visible_if=_is_kind("can"),
    )
    options: str = form_field(
        "",
        "&Options",
        placeholder="none, or port=43113, ttyBaudrate=115200",
        help="Additional python-can arguments for this adapter: key=value, key=value",
        visible_if=_is_kind("can"),
    )
    on_ground: bool = form_field(
        False,
        "",
        text="&Move on the ground of the open scene, with motion capture",
        help="The joints drive the spatial model of the scene; its poses are sent over UDP at 20 Hz",
        visible_if=_is_kind("emulated"),
    )
    file: str = form_field(
        "", "&Log", placeholder="A BLF, ASC or candump file", visible_if=_is_kind("replay")
    )
    loop: bool = form_field(False, "", text="Restart at the &end", visible_if=_is_kind("replay"))


class ConnectForm(QWidget):
    """Form of a connection; `bus` and `loaded` are its results.

    Parameters
    ----------
    settings : QSettings
        Stores recently used profiles.

    Signals
    -------
    changed()
        A value, the profile or the list of adapters changed.
    """

    changed = Signal()

    def __init__(
        self, services: Services, settings: QSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._recent = RecentFiles(settings, _RECENT)
        self.loaded: LoadedProfile | None = None
        self.trouble = ""
        self._interfaces: list[Adapter] = []
        theme.follow(self, ConnectForm._dim_missing)
        self._adapters_task: Task[list[Adapter]] | None = None
        self._profile_task: Task[LoadedProfile] | None = None
        self._profiles: list[Choice] = []
        self._form = DeclaredForm(ConnectChoices(), self._fields(), self)
        self.setLayout(line_of((self._form, 1)))
        self.profile = self._form.widget("profile", QComboBox)
        self.profile.activated.connect(self._read)
        self.about = self._form.notes["about"]
        self.interface_note = self._form.notes["interface_note"]
        self.interface = self._form.widget("interface", QComboBox)
        self.channel = self._form.widget("channel", QComboBox)
        self.bitrate = self._form.widget("bitrate", QComboBox)
        self.options = self._form.widget("options", QLineEdit)
        self.on_ground = self._form.widget("on_ground", QCheckBox)
        self.file = self._form.widget("file", QLineEdit)
        self._named = ""
        self._taking = False
        for box in (self.interface, self.channel, self.bitrate):
            box.installEventFilter(self)
        self._form.changed.connect(self._on_bus)
        self._form.editors["kind"].changed.connect(self._search)
        self.choose_kind("can")
        self._fill_profiles()

    def _fields(self) -> dict[str, FormField | Note]:
        """Return the declared fields with the file dialogs and notes of this form."""
        declared = fields_of(ConnectChoices())
        profile = replace(
            declared["profile"], browse=lambda _: self._browse(), choices=lambda _: self._profiles
        )
        log = replace(declared["file"], browse=lambda _: self._browse_log())
        declared |= {"profile": profile, "file": log}
        return {
            "kind": declared.pop("kind"),
            "profile": declared.pop("profile"),
            "about": Note("dim"),
            "interface": declared.pop("interface"),
            "interface_note": Note("warning"),
            **declared,
        }

    # --- choices ----------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return self._form.values.kind

    def choose_kind(self, kind: str) -> None:
        """Show the fields of a kind of connection."""
        self._form.set(kind=kind)
        self._search()

    def _search(self) -> None:
        """Search for adapters if they are needed and unknown."""
        if self.kind == "can" and self._adapters_task is None and not self._interfaces:
            services = self._services

            def search(progress: Progress) -> list[Adapter]:
                return services.interfaces()

            self._adapters_task = Task("search for CAN adapters", search, self)
            self._adapters_task.finished.connect(self._on_adapters)
            self._adapters_task.failed.connect(lambda problem: self._on_adapters([]))

    @property
    def choices(self) -> LiveChoices:
        """Initial choices of the live robot; an emulated robot on the ground provides its own source of poses."""
        return LiveChoices(twin=self.kind != "replay")

    def bus(self) -> Bus:
        """Return chosen bus; for an emulated robot that of the profile.

        Raises `ValueError` with a message if a typed value is invalid.
        """
        assert self.loaded is not None
        bus = self.loaded.profile.bus
        now = self._form.values
        if now.kind == "replay":
            options: dict[str, Option] = {"loop": now.loop}
            return bus.model_copy(
                update={"interface": "replay", "channel": now.file, "options": options}
            )
        if now.kind == "emulated":
            return bus
        rate = now.bitrate.replace(" ", "")
        if not rate.isdecimal() or not 1000 <= int(rate) <= 8_000_000:
            raise ValueError("Enter the bit rate of all nodes, from 1000 to 8000000 bit/s.")
        return bus.model_copy(
            update={
                "interface": now.interface,
                "channel": now.channel,
                "bitrate": int(rate),
                "options": options_of(now.options),
            }
        )

    def problem(self) -> str:
        """Return the message about what is missing; empty if connecting can be tried."""
        if self.trouble:
            return self.trouble
        if self.loaded is None:
            return "" if self._profile_task is not None else "Choose the profile of the robot."
        now = self._form.values
        if now.kind == "replay" and not now.file:
            return "Choose the log to replay."
        if now.kind == "replay" and not os.path.isfile(now.file):
            return f"{now.file} does not exist. Choose a BLF, ASC or candump log."
        if now.kind == "can" and not now.interface:
            return "Choose the interface of the adapter."
        try:
            self.bus()
        except ValueError as error:
            return str(error)
        return ""

    # --- profiles ---------------------------------------------------------------------------------

    def _fill_profiles(self) -> None:
        try:
            shipped = self._services.profiles()
        except SnakeStudioError as error:
            shipped = []
            self.trouble = str(error)
        shipped = sorted(shipped, key=lambda path: (path.stem != _FIRST, path.stem))
        for path in dict.fromkeys([*self._recent.paths, *shipped]):
            title = path.stem.replace("_", " ").replace("-", " ").capitalize()
            self._profiles.append(Choice(path, title, str(path)))
        self._form.refresh()
        if self._profiles:
            self._read()

    def _browse(self) -> None:
        path = ask_open(self, "Robot Profile", FileKind.PROFILE, _PROFILES)
        if path is not None:
            self.choose_profile(path)

    def choose_profile(self, path: Path) -> None:
        """Choose the profile in a file."""
        if path not in [choice.value for choice in self._profiles]:
            self._profiles.insert(0, Choice(path, path.stem, str(path)))
            self._form.refresh()
        self._form.set(profile=path)
        self._read()

    def _read(self) -> None:
        """Read the chosen profile in a thread, because loading the bus library takes long the first time."""
        path = self._form.values.profile
        services = self._services
        assert path is not None
        self.loaded = None
        self.trouble = ""

        def read(progress: Progress) -> LoadedProfile:
            return services.load(path)

        if self._profile_task is not None:
            self._profile_task.discard()
        self._profile_task = Task("reading of the profile", read, self)
        self._profile_task.finished.connect(self._on_profile)
        self._profile_task.failed.connect(self._on_reading_failed)
        self._form.show_note("about", "Reading...")
        self.changed.emit()

    def remember(self) -> None:
        """Offer this profile first next time."""
        path = self._form.values.profile
        if path is not None:
            self._recent.remember(path)

    def _apply_profile(self, loaded: LoadedProfile) -> None:
        self.loaded = loaded
        profile = loaded.profile
        self._form.show_note(
            "about",
            f"{profile.name}: {profile.n_joints} joints ({profile.axes_text}), {len(profile.nodes)} nodes, set-points "
            f"at {profile.timing.set_point_rate_hz:g} Hz",
        )
        bus = {
            "interface": profile.bus.interface,
            "channel": profile.bus.channel,
            "bitrate": str(profile.bus.bitrate),
            "options": ", ".join(f"{key}={value}" for key, value in profile.bus.options.items()),
        }
        self._taking = True  # the interface determines the channel
        self._form.set(**bus)
        self._taking = False
        self._form.set_first(profile=self._form.values.profile, **bus)

    # --- adapters ---------------------------------------------------------------------------------

    @Slot(object)
    def _on_adapters(self, adapters: list[Adapter]) -> None:
        self._adapters_task = None
        self._list_interfaces(adapters)
        self._on_bus()

    @Slot(object)
    def _on_profile(self, loaded: LoadedProfile) -> None:
        self._profile_task = None
        self._apply_profile(loaded)
        self._on_bus()

    @Slot(object)
    def _on_reading_failed(self, problem: Problem) -> None:
        self._profile_task = None
        self._form.show_note("about", "")
        self.trouble = problem.sentence()
        self._on_bus()

    def _list_interfaces(self, adapters: list[Adapter]) -> None:
        self._interfaces = adapters
        typed = self.interface.currentText()
        self.interface.blockSignals(True)
        self.interface.clear()
        for one in adapters:
            self.interface.addItem(one.interface)
            if one.problem:
                self.interface.setItemData(
                    self.interface.count() - 1, one.problem, Qt.ItemDataRole.ToolTipRole
                )
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
        self._form.show_note("interface_note", note if self.kind == "can" else "")
        like = channel_like(name)
        line = self.channel.lineEdit()
        if line is not None:
            line.setPlaceholderText(f"e.g. {like}" if like else "")
        if name != self._named:
            self._change_interface(known, like)
            self._named = name
        if known is not None and [
            self.channel.itemText(k) for k in range(self.channel.count())
        ] != [*known.channels]:
            typed = self.channel.currentText()
            self.channel.blockSignals(True)
            self.channel.clear()
            self.channel.addItems(known.channels)
            self.channel.setEditText(typed)
            self.channel.blockSignals(False)
        self.changed.emit()

    def _change_interface(self, known: Adapter | None, like: str) -> None:
        """Clear a channel that belongs to another interface."""
        if not self._named or (known is None and not like) or self._taking:
            return
        channels = known.channels if known is not None else ()
        self.channel.blockSignals(True)
        self.channel.setEditText(channels[0] if channels else "")
        self.channel.blockSignals(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QComboBox):
            # Typing replaces the present text after a click as after Tab; a second click sets the
            # cursor.
            edit = watched.lineEdit()
            if edit is not None:
                QTimer.singleShot(0, edit, edit.selectAll)
        return super().eventFilter(watched, event)

    def _browse_log(self) -> str | None:
        path = ask_open(self, "Replay a Log", FileKind.FRAME_LOG, _LOGS)
        return None if path is None else str(path)
