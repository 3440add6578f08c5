"""The theme of the window: two palettes, the style sheet made from them, icons in their colours, and text sizes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from string import Template
from typing import Any, TypeVar

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QFontInfo, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from snakestudio.drawing import style as render_style
from snakestudio.paths import resource

Owner = TypeVar("Owner", bound=QObject)

BASE = 13
"""Size of ordinary text in the design, px; text is never smaller than that."""

_LARGEST = 26

_text_size = BASE
_system_size: float | None = None


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of the window, as strings such as "#14181d"."""

    name: str
    """"dark" or "light"."""

    ground: str
    """Lowest background."""

    panel: str
    """Background of panels, on `ground`."""

    card: str
    """Background of cards, on `panel`."""

    raised: str
    """Highest background."""

    line: str
    """Lines between backgrounds."""

    text: str
    """Ordinary text."""

    dim: str
    """Secondary text."""

    accent: str
    """Active or selected elements."""

    on_accent: str
    """Text on elements of the colour `accent`."""

    good: str
    """No problems."""

    warning: str
    """Obstacle forces, and warnings."""

    friction: str
    """Friction forces."""

    danger: str
    """The robot's stop, and nothing else."""


DARK = Palette(
    name="dark",
    ground="#14181d",
    panel="#1b2027",
    card="#222933",
    raised="#2a333f",
    line="#303946",
    text="#e6ebf1",
    dim="#8d9aab",
    accent="#4cc2ff",
    on_accent="#0b1a24",
    good="#55d68b",
    warning="#ffb454",
    friction="#c792ea",
    danger="#ff5c5c",
)

LIGHT = Palette(
    name="light",
    ground="#e4e9ee",
    panel="#f4f6f8",
    card="#ffffff",
    raised="#e9eef3",
    line="#cfd7df",
    text="#1b2027",
    dim="#5d6b7b",
    accent="#0a84d0",
    on_accent="#ffffff",
    good="#178a4c",
    warning="#b86400",
    friction="#8d4fc0",
    danger="#d22f2f",
)

_SHEET = Template("""
* { outline: 0; }
QMainWindow, QDialog { background: $panel; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 6px 8px; }

QMenuBar { background: $panel; padding: 4px 8px; spacing: 4px; }
QMenuBar::item { background: transparent; color: $dim; padding: 5px 10px; border-radius: 5px; }
QMenuBar::item:selected { background: $card; color: $text; }
QMenu { background: $card; border: 1px solid $line; padding: 6px; }
QMenu::item { padding: 6px 28px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $raised; color: $text; }
QMenu::item:disabled { color: $dim; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 6px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: 14px; height: 14px; margin-left: 8px; }
QMenu::indicator:checked { image: url("$icons/check.svg"); }

QToolBar { background: $panel; border: 0; border-bottom: 1px solid $line; padding: 0; spacing: 8px; }
QStatusBar { background: $panel; border-top: 1px solid $line; color: $dim; }
QStatusBar::item { border: 0; }

QDockWidget > QWidget { background: $panel; }
QTabBar { background: $panel; }
QTabBar::tab { background: transparent; color: $dim; padding: 8px 14px; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:left, QTabBar::tab:right { padding: 3px 6px; border-bottom: 0; border-left: 2px solid transparent; }
QTabBar::tab:left:selected, QTabBar::tab:right:selected { border-left-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected:focus { color: $accent; }
QTabWidget::pane { border: 0; border-top: 1px solid $line; }

QScrollArea { background: transparent; border: 1px solid transparent; }
QScrollArea:focus { border-color: $accent; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; min-width: 24px; min-height: 24px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }

QLabel { background: transparent; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="dim"], QLabel[role="unit"] { color: $dim; }
QLabel[role="group"] { color: $dim; font-size: ${small}px; font-weight: 600; margin-top: 4px; }
QLabel[role="hint"] { background: $ground; color: $dim; border-radius: 6px; padding: 3px 8px; }
QLabel[role="value"] { font-weight: 600; }
QLabel[role="good"] { color: $good; }
QLabel[role="warning"] { color: $warning; }
QFrame[role="card"], QWidget[role="card"] { background: $card; border: 0; border-radius: 6px; }
QFrame[role="sheet"] { background: $panel; border: 1px solid $line; border-radius: 12px; }
QFrame[role="line"] { background: $line; border: 0; max-height: 1px; min-height: 1px; }

QPushButton, QToolButton { background: $card; color: $text; border: 1px solid $line; border-radius: 6px;
  padding: 6px 12px; }
QToolButton { padding: 6px; }
QPushButton:hover, QToolButton:hover { background: $raised; }
QPushButton:pressed, QToolButton:pressed { background: $line; }
QPushButton:focus, QToolButton:focus { border-color: $accent; }
QPushButton:disabled, QToolButton:disabled { color: $dim; background: $panel; }
QToolButton:checked { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[role="primary"], QToolButton[role="primary"] {
  background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled { background: $card; color: $dim;
  border-color: $line; }
QPushButton[role="link"], QToolButton[role="link"] { background: transparent; border: 1px solid transparent;
  color: $accent; padding: 3px 5px; }
QToolButton[role="warning_link"] { background: transparent; border: 1px solid transparent; color: $warning;
  padding: 3px 5px; }
QPushButton[role="link"]:hover, QToolButton[role="link"]:hover, QToolButton[role="warning_link"]:hover {
  color: $text; }
QToolButton[role="flat"] { background: transparent; border: 1px solid transparent; padding: 3px; }
QToolButton[role="flat"]:hover { background: $raised; }
QToolButton[role="chip"] { background: transparent; color: $dim; border-radius: 12px; padding: 3px 10px; }
QToolButton[role="chip"]:hover { background: $card; color: $text; }
QToolButton[role="chip"]:checked { background: $selected; color: $text; border-color: $accent; }
QPushButton[role="link"]:focus, QToolButton[role="link"]:focus, QToolButton[role="flat"]:focus,
QToolButton[role="warning_link"]:focus,
QToolButton[role="chip"]:focus { border-color: $accent; }
QPushButton[role="primary"]:focus, QToolButton[role="primary"]:focus, QToolButton:checked:focus {
  border-color: $text; }
QToolButton::menu-indicator { image: none; }
QToolButton::menu-button { border: 0; width: 16px; }
QToolButton::menu-arrow { image: url("$icons/chevron-down.svg"); width: 10px; height: 10px; }
QPushButton::menu-indicator { image: url("$icons/chevron-down.svg"); width: 12px; subcontrol-position: right center;
  right: 8px; }

QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
  background: $card; color: $text; border: 1px solid $line; border-radius: 6px; padding: 4px 8px;
  min-height: ${field}px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: $accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled, QLineEdit[unused="true"], QComboBox[unused="true"] {
  color: $dim; background: $panel; }
QCheckBox[unused="true"] { color: $dim; }
QLineEdit[role="flat"] { background: transparent; border-color: transparent; }
QLineEdit[role="flat"]:hover { background: $card; border-color: $line; }
QLineEdit[role="flat"]:focus { background: $card; border-color: $accent; }
QLineEdit[changed="true"] { color: $accent; }
QLineEdit[role="flat"][unused="true"] { color: $dim; }
QLineEdit[problem="true"], QLineEdit[problem="true"]:focus, QComboBox[problem="true"] { border-color: $warning; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { background: transparent; border: 0; width: 16px;
  subcontrol-origin: border; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up.svg"); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 10px; height: 10px; }
QComboBox { padding-right: 22px; }
QComboBox[role="changed"] { color: $accent; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $card; color: $text; border: 1px solid $line; padding: 4px; outline: 0;
  selection-background-color: $raised; selection-color: $text; }
QComboBox QAbstractItemView::item { min-height: ${row}px; padding: 2px 6px; border-radius: 4px; }

QSlider { min-height: 20px; background: transparent; }
QSlider::groove:horizontal { height: 3px; background: $line; border-radius: 1px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 1px; }
QSlider::handle:horizontal { background: $text; width: 14px; height: 14px; margin: -6px 0; border-radius: 7px;
  border: 0; }
QSlider::handle:horizontal:hover { background: $accent; }
QSlider::handle:horizontal:focus { width: 8px; height: 8px; border: 3px solid $accent; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled,
QSlider[unused="true"]::sub-page:horizontal, QSlider[unused="true"]::handle:horizontal { background: $dim; }

QCheckBox, QRadioButton { spacing: 8px; background: transparent; }
QCheckBox::indicator, QAbstractItemView::indicator {
  width: 14px; height: 14px; border: 1px solid $dim; border-radius: 4px; background: $card; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus, QAbstractItemView::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked:focus { border-color: $text; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {
  background: $accent; border-color: $accent; image: url("$icons/check-on-accent.svg"); }

QTreeView, QListView, QTableView { background: transparent; border: 0; alternate-background-color: $panel;
  selection-background-color: $selected; selection-color: $text; }
QListView[role="completion"] { background: $card; border: 1px solid $line; padding: 4px; }
QLabel[role="hint"] { background: $panel; color: $dim; border-radius: 5px; padding: 3px 8px; }
QTreeView::item, QListView::item { min-height: ${row}px; border-radius: 5px; padding: 0 4px; }
QTreeView::item:hover, QListView::item:hover { background: $card; }
QTreeView::item:selected, QListView::item:selected { background: $selected; color: $text; }
QTreeView::item:focus, QListView::item:focus { border: 1px solid $accent; padding: 0 3px; }
QTreeView::branch, QTreeView::branch:selected { background: transparent; }
QTreeView::branch:has-children:closed { image: url("$icons/chevron-right.svg"); }
QTreeView::branch:has-children:open { image: url("$icons/chevron-down.svg"); }
QHeaderView::section { background: $panel; color: $dim; border: 0; border-bottom: 1px solid $line; padding: 6px 8px; }

QProgressBar { background: $line; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QGroupBox { border: 0; margin-top: 24px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; }
""")
"""Style sheet with the names of the palette's colours as placeholders.

The dynamic property ``role`` of labels is "heading" (of a panel), "dim", "value", "unit", "good" or
"warning". Frames and widgets with ``role`` "card" are raised from their panel; "primary" marks the
default push button.
"""


def _style_sheet(palette: Palette) -> str:
    """Return the style sheet in the colours of a palette."""
    colours = {name: getattr(palette, name) for name in palette.__dataclass_fields__}
    colours["selected"] = "#27465a" if palette.name == "dark" else "#cfe6f6"
    return _SHEET.substitute(
        colours,
        small=scaled(12),
        field=scaled(18),
        row=scaled(24),
        icons=resource("icons").as_posix(),
    )


_PALETTES = {palette.name: palette for palette in (DARK, LIGHT)}
_current = DARK


def current() -> Palette:
    """Return the palette in use."""
    return _current


def colour(name: str) -> QColor:
    """Return the colour of the present palette with this name in `Palette`."""
    return QColor(getattr(_current, name))


def render_theme() -> render_style.Theme:
    """Return the viewport colours that match the present palette."""
    return render_style.LIGHT if _current is LIGHT else render_style.DARK


def adopt_text_size(app: QApplication) -> None:
    """Use the size of the system's font, as it was before the program set one."""
    global _text_size, _system_size
    if _system_size is None:
        _system_size = float(QFontInfo(app.font()).pixelSize())
    _text_size = min(max(round(_system_size), BASE), _LARGEST)
    font = QFont(app.font())
    if font.pixelSize() != _text_size:
        font.setPixelSize(_text_size)
        app.setFont(font)


def scaled(pixels: float) -> int:
    """Return a length of the design (px) scaled to the present text size, px."""
    return round(pixels * _text_size / BASE)


_STYLED = "snakestudio_styled"


class _Changes(QObject):
    """Signals a change of the palette."""

    changed = Signal()


_changes = _Changes()


class _Follower(QObject):
    """Calls a function of its parent after a change of the palette, as long as the parent exists."""

    def __init__(self, parent: QObject, apply_palette: Callable[[Any], object]) -> None:
        super().__init__(parent)
        self._apply = apply_palette
        _changes.changed.connect(self._on_change)

    def _on_change(self) -> None:
        self._apply(self.parent())


def follow(owner: Owner, apply_palette: Callable[[Owner], object]) -> None:
    """Call `apply_palette` with `owner` after each change of the palette, as long as `owner` exists.

    `apply_palette` must not hold a reference to `owner`: neither would ever be deleted.
    """
    _Follower(owner, apply_palette)


def set_icon(owner: QAbstractButton | QAction, name: str, role: str = "text") -> None:
    """Set an icon of a button or action that follows the palette; parameters as in `icon`. Call it once."""
    owner.setIcon(icon(name, role))
    follow(owner, lambda each: each.setIcon(icon(name, role)))


def apply(app: QApplication, name: str) -> None:
    """Apply the palette `name` ("dark" or "light") to the application."""
    global _current
    before = _current
    _current = _PALETTES.get(name, DARK)
    p = _current
    if app.property(_STYLED) is None:  # each call restyles every widget, which takes seconds
        app.setStyle("Fusion")
        app.setProperty(_STYLED, True)
    roles = QPalette.ColorRole
    palette = QPalette()
    for role, text in {
        roles.Window: p.panel,
        roles.WindowText: p.text,
        roles.Base: p.card,
        roles.AlternateBase: p.panel,
        roles.Text: p.text,
        roles.Button: p.card,
        roles.ButtonText: p.text,
        roles.ToolTipBase: p.raised,
        roles.ToolTipText: p.text,
        roles.PlaceholderText: p.dim,
        roles.Highlight: p.accent,
        roles.HighlightedText: p.on_accent,
        roles.Accent: p.accent,
        roles.Link: p.accent,
        roles.Light: p.raised,
        roles.Midlight: p.raised,
        roles.Mid: p.line,
        roles.Dark: p.line,
        roles.Shadow: p.ground,
        roles.BrightText: p.warning,
    }.items():
        palette.setColor(role, QColor(text))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(mixed(p.dim, p.panel, 0.45)))
    app.setPalette(palette)
    adopt_text_size(app)
    sheet = _style_sheet(p)
    if app.styleSheet() != sheet:  # setting the same sheet again would restyle every widget
        app.setStyleSheet(sheet)
    if _current is not before:
        _changes.changed.emit()


def mixed(first: str, second: str, weight: float) -> str:
    """Return the colour at the fraction `weight` between first and second."""
    a, b = QColor(first), QColor(second)
    return QColor.fromRgbF(
        a.redF() + weight * (b.redF() - a.redF()),
        a.greenF() + weight * (b.greenF() - a.greenF()),
        a.blueF() + weight * (b.blueF() - a.blueF()),
    ).name()


def value_font(pixels: int = 14, bold: bool = True) -> QFont:
    """Return the font of live values, with digits of equal width."""
    font = QFont(QApplication.font())
    font.setPixelSize(scaled(pixels))
    font.setBold(bold)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def chart_font() -> QFont:
    """Return the small font of charts."""
    return value_font(11, bold=False)


def text_font(pixels: int, *, strong: bool = False) -> QFont:
    """Return the font of painted text: `pixels` high where ordinary text is 13 px high."""
    font = QFont(QApplication.font())
    font.setPixelSize(scaled(pixels))
    font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    return font


def scrim() -> QColor:
    """Return the translucent colour that dims a window below a sheet."""
    shade = QColor(mixed(_current.ground, "#000000", 0.7) if _current is DARK else _current.text)
    shade.setAlphaF(0.58 if _current is DARK else 0.42)
    return shade


def open_at(dialog: QWidget, width: int, height: int) -> None:
    """Set the initial size of a window, px of the design, limited to its screen."""
    available = dialog.screen().availableSize()
    dialog.resize(min(scaled(width), available.width()), min(scaled(height), available.height()))


def set_property(widget: QWidget, name: str, value: bool) -> None:
    """Set a property that the style sheet tests, such as `unused`."""
    if bool(widget.property(name)) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_role(widget: QWidget, role: str) -> None:
    """Set the ``role`` of a widget in the style sheet, even after it was shown."""
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def icon(name: str, role: str = "text") -> QIcon:
    """Return an icon of `resources/icons`, drawn in a colour of the present palette.

    Parameters
    ----------
    name : str
        File name without ".svg".
    role : str
        Name of the colour in `Palette`; disabled icons are dim.
    """
    result = QIcon()
    for size in (20, 40):
        result.addPixmap(_pixmap(name, getattr(_current, role), size))
        faint = mixed(_current.dim, _current.panel, 0.45)
        result.addPixmap(_pixmap(name, faint, size), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=1024)
def _pixmap(name: str, text: str, size: int) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    source = (
        resource("icons", f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", text)
    )
    renderer = QSvgRenderer(QByteArray(source.encode()))
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


class ThemedWidget(QWidget):
    """A widget with a method that follows the palette."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        follow(self, type(self).apply_theme)

    @abstractmethod
    def apply_theme(self) -> None:
        """Apply the present palette."""
