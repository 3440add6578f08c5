"""Teleoperation panel: switch of the mode, commanded and applied values, gaits and inputs."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from snakestudio.control.controllers.teleoperation import TeleoperationFields
from snakestudio.gui.core import theme
from snakestudio.gui.forms.elided_button import ElidedButton
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.sections import scrolled
from snakestudio.gui.robot.teleop.frame import command_words
from snakestudio.gui.robot.teleop.mapping import FUNCTIONS, InputMap
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.model.gaits import GAITS
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import NEUTRAL, TeleopCommand, steerable_gaits


def gait_title(name: str) -> str:
    """Return the title of a gait on its button."""
    return next((entry.title for entry in GAITS if entry.name == name), "The scene's gait")


def acting(scene: Scene, snapshot: Snapshot | None) -> ActualCommand | None:
    """Return the applied values in a state; None if the controller does not accept manual input."""
    law = scene.controller
    if (
        snapshot is None
        or not isinstance(law, TeleoperationFields)
        or "gait_number" not in snapshot.control
    ):
        return None
    control = snapshot.control
    left = 1.0 if scene.robot.head == "last" else -1.0
    turn = left * control["gait_offset_rad"] / law.max_offset if law.max_offset else 0.0
    return ActualCommand(
        control["gait_frequency_radps"] / law.max_frequency, turn, control["gait_amplitude_share"]
    )


class TeleopPanel(QWidget):
    """Controls and status of teleoperation."""

    def __init__(self, teleoperation: TeleopFeature, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.follow(self, TeleopPanel._show_sources)
        self._of = teleoperation
        self._teleop = teleoperation.teleop
        self._names: tuple[str, ...] = ()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        inside = QWidget()
        outer.addWidget(scrolled(inside))
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(10)
        self.switch = QPushButton(inside)
        self.switch.clicked.connect(lambda: self._of.toggle())
        column.addWidget(self.switch)
        self.message = Message(inside)
        column.addWidget(self.message)
        self.adopt = QPushButton("Drive This Scene by Hand", inside)
        self.adopt.setToolTip(
            "Make teleoperation the scene's controller and return to the start; this can be undone"
        )
        self.adopt.clicked.connect(lambda: self._of.adopt())
        column.addWidget(self.adopt)
        self.picture = Picture(inside)
        column.addWidget(self.picture)
        self.figures = QGridLayout()
        self.figures.setHorizontalSpacing(12)
        self.figures.setVerticalSpacing(4)
        column.addLayout(self.figures)
        self.values = self._make_figures(inside)
        self._gaits_title = QLabel("Gait", inside)
        self._gaits_title.setProperty("role", "group")
        column.addWidget(self._gaits_title)
        self._gaits = QVBoxLayout()
        self._gaits.setSpacing(4)
        column.addLayout(self._gaits)
        self.gait_buttons: dict[str, ElidedButton] = {}
        title = QLabel("Controls", inside)
        title.setProperty("role", "group")
        column.addWidget(title)
        self.sources = QLabel(inside)
        self.sources.setWordWrap(True)
        self.sources.setTextFormat(Qt.TextFormat.RichText)
        column.addWidget(self.sources)
        line = QHBoxLayout()
        self.edit = QPushButton("Keys and Gamepad...", inside)
        self.edit.setToolTip("Configure keys, sticks and buttons")
        self.edit.clicked.connect(lambda: self._of.ask_mapping())
        line.addWidget(self.edit)
        line.addStretch(1)
        column.addLayout(line)
        column.addStretch(1)
        self._teleop.changed.connect(self.refresh)
        self._of.scene_changed.connect(self._on_scene)
        self._teleop.steered.connect(self._show_command)
        self._of.frame.connect(self._show_command)
        self.refresh()

    def _make_figures(self, parent: QWidget) -> dict[str, tuple[QLabel, QLabel]]:
        labels: dict[str, tuple[QLabel, QLabel]] = {}
        for column, text in ((1, "commanded"), (2, "applied")):
            head = QLabel(text, parent)
            head.setProperty("role", "dim")
            self.figures.addWidget(head, 0, column, Qt.AlignmentFlag.AlignRight)
        for row, (name, text) in enumerate(
            (("speed", "Speed"), ("turn", "Turn"), ("amplitude", "Amplitude")), 1
        ):
            label = QLabel(text, parent)
            label.setProperty("role", "dim")
            self.figures.addWidget(label, row, 0)
            pair = QLabel(parent), QLabel(parent)
            for column, value in enumerate(pair, 1):
                value.setFont(theme.value_font(13))
                value.setMinimumWidth(theme.scaled(72))
                value.setAlignment(Qt.AlignmentFlag.AlignRight)
                self.figures.addWidget(value, row, column)
            labels[name] = pair
        self.figures.setColumnStretch(0, 1)
        return labels

    def _on_scene(self) -> None:
        if self.isVisible():  # a hidden panel would slow down dragging
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)

    def refresh(self) -> None:
        """Show the current mode, scene and devices."""
        teleop = self._teleop
        on = self._teleop.on
        self.switch.setText("Leave Teleoperation (Esc)" if on else "Drive by Hand")
        theme.set_role(self.switch, "" if on else "primary")
        refusal = self._of.refusal
        self.message.show_text(refusal or teleop.notice)
        self.adopt.setVisible(self._of.adoptable)
        self.switch.setEnabled(on or not self._of.impossible)
        if on or self.isVisible():  # checking which gaits suit the robot takes a while
            self._show_gaits()
        self._show_sources()
        self._show_command()

    def _show_gaits(self) -> None:
        names = steerable_gaits(self._of.scene) if self._of.scene.body.jointed else ()
        if names != self._names:
            self._names = names
            for button in self.gait_buttons.values():
                self._gaits.removeWidget(button)
                button.deleteLater()
            self.gait_buttons = {}
            for name in names:
                button = ElidedButton(self)
                button.setText(gait_title(name))
                button.setCheckable(True)
                button.setProperty("role", "chip")
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                button.clicked.connect(
                    lambda _=False, chosen=name: self._teleop.choose_gait(chosen)
                )
                self._gaits.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
                self.gait_buttons[name] = button
        for name, button in self.gait_buttons.items():
            button.setChecked(name == self._teleop.gait)
            button.setEnabled(self._teleop.on and not self._of.refusal)

    def _show_sources(self) -> None:
        p = theme.current()
        gamepads = self._teleop.gamepads
        keys = bound_keys(self._teleop.mapping)
        rows = [(p.good if self._teleop.on else p.dim, "Keyboard", keys or "no bindings")]
        if gamepads.names:
            rows += [(p.good, name, "connected") for name in gamepads.names]
        else:
            no = gamepads.refusal or (
                "none connected" if self._teleop.on else "detected while teleoperation is on"
            )
            rows.append((p.warning if gamepads.refusal else p.dim, "Gamepad", no))
        if self._teleop.mapping.dead_man:
            rows.append((p.accent, "Dead-man switch", "must be held to drive"))
        self.sources.setText(
            "<br>".join(
                f'<span style="color:{colour}">●</span> {name} <span style="color:{p.dim}">{text}</span>'
                for colour, name, text in rows
            )
        )

    def _show_command(self) -> None:
        command = self._teleop.command
        acts = acting(self._of.scene, self._of.snapshot)
        self.picture.show_state(command, acts, self._teleop.on)
        self.picture.setToolTip(command_words(command))
        for name, (commanded, applied) in self.values.items():
            commanded.setText(_percent(getattr(command, name)))
            applied.setText("–" if acts is None else _percent(getattr(acts, name)))


def bound_keys(mapping: InputMap) -> str:
    """Return the line with the functions of the keys: "W S Up Down speed · A D turn"."""
    keys: dict[str, list[str]] = {}
    for binding in mapping.bindings:
        if binding.input.kind == "key":
            title = FUNCTIONS[binding.function].title.lower()
            keys.setdefault(title, []).append(binding.input.title.removeprefix("Key "))
    return " · ".join(f"<b>{' '.join(names)}</b> {title}" for title, names in keys.items())


def _percent(fraction: float) -> str:
    return f"{100.0 * fraction + 0.0:.0f} %".replace("-", "−")


_EDGE = 18
_BAR = 14
_GAP = 18


class ActualCommand(NamedTuple):
    """Values applied by the joints, in shares as in a command."""

    speed: float
    turn: float
    amplitude: float


class Picture(QWidget):
    """Field of speed and turn with a ring (command) and a dot (applied values), and a bar of the amplitude."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._command: TeleopCommand = NEUTRAL
        self._acting: ActualCommand | None = None
        self._on: bool = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.scaled(232))
        self.setAccessibleName("Commanded and applied values")

    def show_state(self, command: TeleopCommand, acting: ActualCommand | None, on: bool) -> None:
        """Show a command, the applied values (None: unknown) and whether the mode is on."""
        if (command, acting, on) != (self._command, self._acting, self._on):
            self._command = command
            self._acting = acting
            self._on = on
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(300), theme.scaled(232))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            side = min(self.height() - 2.0 * _EDGE, self.width() - 2.0 * _EDGE - _BAR - _GAP - 30)
            left = 0.5 * (self.width() - side - _GAP - _BAR)
            field = QRectF(left, 0.5 * (self.height() - side), side, side)
            self._field(painter, field)
            self._bar(painter, QRectF(field.right() + _GAP + 12, field.top(), _BAR, side))
        finally:
            painter.end()

    @property
    def _strong(self) -> QColor:
        return theme.colour("accent" if self._on else "dim")

    def _field(self, painter: QPainter, field: QRectF) -> None:
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(field, 8, 8)
        middle = field.center()
        half = 0.5 * field.width() - 14
        thin = QPen(theme.colour("line"), 1)
        painter.setPen(thin)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for fraction in (0.5, 1.0):
            painter.drawEllipse(middle, fraction * half, fraction * half)
        painter.drawLine(
            QPointF(field.left() + 8, middle.y()), QPointF(field.right() - 8, middle.y())
        )
        painter.drawLine(
            QPointF(middle.x(), field.top() + 8), QPointF(middle.x(), field.bottom() - 8)
        )
        painter.setPen(theme.colour("dim"))
        painter.setFont(theme.text_font(11))
        for text, flag in (
            ("ahead", Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop),
            ("back", Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom),
            ("left", Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            ("right", Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
        ):
            wide = painter.fontMetrics().horizontalAdvance(text) + 8
            tall = painter.fontMetrics().height()
            inside = field.adjusted(6, 3, -6, -3)
            rect = QRectF(0, 0, wide, tall)
            rect.moveCenter(middle)
            if flag & Qt.AlignmentFlag.AlignTop:
                rect.moveTop(inside.top())
            elif flag & Qt.AlignmentFlag.AlignBottom:
                rect.moveBottom(inside.bottom())
            elif flag & Qt.AlignmentFlag.AlignLeft:
                rect.moveLeft(inside.left())
            else:
                rect.moveRight(inside.right())
            painter.fillRect(rect, theme.colour("card"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

        def at(speed: float, turn: float) -> QPointF:
            return QPointF(middle.x() - turn * half, middle.y() - speed * half)

        commanded = at(self._command.speed, self._command.turn)
        if self._acting is not None:
            acts = at(self._acting.speed, self._acting.turn)
            painter.setPen(QPen(self._strong, 2))
            painter.drawLine(middle, acts)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._strong)
            painter.drawEllipse(acts, 6, 6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("text" if self._on else "dim"), 2))
        painter.drawEllipse(commanded, 10, 10)

    def _bar(self, painter: QPainter, bar: QRectF) -> None:
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(bar, 5, 5)
        acts = self._command.amplitude if self._acting is None else self._acting.amplitude
        full = bar.adjusted(3, 3, -3, -3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._strong)
        painter.drawRoundedRect(
            QRectF(
                full.left(),
                full.bottom() - acts * full.height(),
                full.width(),
                acts * full.height(),
            ),
            3,
            3,
        )
        commanded = full.bottom() - self._command.amplitude * full.height()
        painter.setPen(QPen(theme.colour("text" if self._on else "dim"), 2))
        painter.drawLine(QPointF(bar.left() - 5, commanded), QPointF(bar.right() + 5, commanded))
