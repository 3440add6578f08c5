"""The look of the window: two palettes, one style sheet made from them, and the icons in their colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio.gui import text_size
from snakestudio.gui.style_sheet import style_sheet
from snakestudio.gui.text_size import scaled
from snakestudio.paths import resource
from snakestudio.render import style as render_style

__all__ = [
    "DARK",
    "LIGHT",
    "Palette",
    "apply",
    "colour",
    "current",
    "icon",
    "mixed",
    "open_at",
    "render_theme",
    "scaled",
    "scrim",
    "set_role",
    "text_font",
    "value_font",
]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of the window, as texts such as "#14181d".

    Attributes
    ----------
    name : str
        "dark" or "light".
    ground, panel, card, raised, line : str
        Backgrounds from the lowest to the highest, and the lines between them.
    text, dim : str
        Ordinary and secondary text.
    accent, on_accent : str
        What can be acted on or is selected, and text on it.
    good, warning, friction, danger : str
        In order; obstacle forces and warnings; friction; the robot's stop and nothing else.
    """

    name: str
    ground: str
    panel: str
    card: str
    raised: str
    line: str
    text: str
    dim: str
    accent: str
    on_accent: str
    good: str
    warning: str
    friction: str
    danger: str


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

_PALETTES = {palette.name: palette for palette in (DARK, LIGHT)}
_current = DARK


def current() -> Palette:
    """The palette in use."""
    return _current


def colour(name: str) -> QColor:
    """Colour of the present palette by its name in `Palette`."""
    return QColor(getattr(_current, name))


def render_theme() -> render_style.Theme:
    """Colours of the viewport that go with the present palette."""
    return render_style.LIGHT if _current is LIGHT else render_style.DARK


def apply(app: QApplication, name: str) -> None:
    """Dress the whole application in the palette called `name` ("dark" or "light")."""
    global _current
    _current = _PALETTES.get(name, DARK)
    p = _current
    _pixmap.cache_clear()
    app.setStyle("Fusion")
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
    text_size.adopt(app)
    app.setStyleSheet(style_sheet(p))


def mixed(first: str, second: str, share: float) -> str:
    """The colour that is `share` of the way from first to second."""
    a, b = QColor(first), QColor(second)
    return QColor.fromRgbF(
        a.redF() + share * (b.redF() - a.redF()),
        a.greenF() + share * (b.greenF() - a.greenF()),
        a.blueF() + share * (b.blueF() - a.blueF()),
    ).name()


def value_font(pixels: int = 14, bold: bool = True) -> QFont:
    """Font of figures that change while one looks: their digits must not dance."""
    font = QFont(QApplication.font())
    font.setPixelSize(scaled(pixels))
    font.setBold(bold)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def text_font(pixels: int, *, strong: bool = False) -> QFont:
    """Font of text that is painted: `pixels` high where ordinary text has 13."""
    font = QFont(QApplication.font())
    font.setPixelSize(scaled(pixels))
    font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    return font


def scrim() -> QColor:
    """What dims a window below a sheet."""
    made = QColor(mixed(_current.ground, "#000000", 0.7) if _current is DARK else _current.text)
    made.setAlphaF(0.58 if _current is DARK else 0.42)
    return made


def open_at(dialog: QWidget, width: int, height: int) -> None:
    """Give a window its size to begin with, in pixels of usual text, but never more than its screen has."""
    room = dialog.screen().availableSize()
    dialog.resize(min(scaled(width), room.width()), min(scaled(height), room.height()))


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another ``role`` of the style sheet, also after it was shown."""
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def icon(name: str, role: str = "text") -> QIcon:
    """An icon of `resources/icons`, drawn in a colour of the present palette.

    Parameters
    ----------
    name : str
        File name without ".svg".
    role : str
        Name of the colour in `Palette`; disabled icons are dim.
    """
    made = QIcon()
    for size in (20, 40):
        made.addPixmap(_pixmap(name, getattr(_current, role), size))
        faint = mixed(_current.dim, _current.panel, 0.45)
        made.addPixmap(_pixmap(name, faint, size), QIcon.Mode.Disabled)
    return made


@lru_cache(maxsize=1024)
def _pixmap(name: str, text: str, size: int) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    source = resource("icons", f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", text)
    renderer = QSvgRenderer(QByteArray(source.encode()))
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
