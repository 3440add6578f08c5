"""The style sheet of the window, written once with the palette's names in place of colours.

Labels say what they are by the dynamic property ``role``: "heading" (of a panel), "dim", "value", "unit", "good",
"warning".
Frames and widgets with ``role`` "card" stand out from their panel; push buttons with "primary" are the one to press.
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from snakestudio.gui.text_size import scaled
from snakestudio.paths import resource

if TYPE_CHECKING:
    from snakestudio.gui.theme import Palette

__all__ = ["style_sheet"]

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
QLabel[role="key"] { background: $card; border: 1px solid $line; border-radius: 4px; padding: 1px 6px;
  font-size: ${small}px; }
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
QPushButton[role="link"]:hover, QToolButton[role="link"]:hover { color: $text; }
QToolButton[role="flat"] { background: transparent; border: 1px solid transparent; padding: 3px; }
QToolButton[role="flat"]:hover { background: $raised; }
QToolButton[role="chip"] { background: transparent; color: $dim; border-radius: 12px; padding: 3px 10px; }
QToolButton[role="chip"]:hover { background: $card; color: $text; }
QToolButton[role="chip"]:checked { background: $selected; color: $text; border-color: $accent; }
QPushButton[role="link"]:focus, QToolButton[role="link"]:focus, QToolButton[role="flat"]:focus,
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
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { background: transparent; border: 0; width: 16px;
  subcontrol-origin: border; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up.svg"); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 10px; height: 10px; }
QComboBox { padding-right: 22px; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $card; border: 1px solid $line; padding: 4px; outline: 0;
  selection-background-color: $raised; selection-color: $text; }
QComboBox QAbstractItemView::item { min-height: ${row}px; padding: 2px 6px; border-radius: 4px; }

QSlider { min-height: 20px; background: transparent; }
QSlider::groove:horizontal { height: 3px; background: $line; border-radius: 1px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 1px; }
QSlider::handle:horizontal { background: $text; width: 14px; height: 14px; margin: -6px 0; border-radius: 7px;
  border: 0; }
QSlider::handle:horizontal:hover { background: $accent; }
QSlider::handle:horizontal:focus { width: 8px; height: 8px; border: 3px solid $accent; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $dim; }

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


def style_sheet(palette: Palette) -> str:
    """The style sheet in the colours of a palette."""
    colours = {name: getattr(palette, name) for name in palette.__dataclass_fields__}
    colours["selected"] = "#27465a" if palette.name == "dark" else "#cfe6f6"
    return _SHEET.substitute(
        colours, small=scaled(12), field=scaled(18), row=scaled(24), icons=resource("icons").as_posix()
    )
