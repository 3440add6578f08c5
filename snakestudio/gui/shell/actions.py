"""Menus, shortcuts, buttons and the list of shortcuts, made from commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.command import BODY_MENU, SEPARATOR, Command, Context
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.forms.menu import Menu, assign_mnemonics

_PACE_MS = 150


class _Context(Context, Protocol):
    robot_controller: RobotController
    banners: Banners


C = TypeVar("C", bound=_Context)


class ActionRegistry(QObject):
    """The actions of one window, made from commands.

    Parameters
    ----------
    commands : sequence of Command
        In the order of the menus.
    context : Context
        Argument of the commands.
    window : QWidget
        The window in which their shortcuts work.
    """

    def __init__(self, commands: Sequence[Command[C]], context: C, window: QWidget) -> None:
        super().__init__(window)
        self.commands: Sequence[Command[Any]] = commands
        self._context: _Context = context
        self._window = window
        self._actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        self._texts: dict[str, str] = {}
        self._timer = Delay(0, self.refresh, self)
        for spec in self.commands:
            if spec.run is not None:
                self._actions[spec.id] = self._make(spec, spec.run)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def _make(self, spec: Command[Any], run: Callable[[Any], object]) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in spec.shortcuts])
        if spec.icon:
            theme.set_icon(action, spec.icon)
        action.setIconVisibleInMenu(spec.icon.startswith("shape-"))
        action.setCheckable(spec.checked is not None)
        if spec.local:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        else:
            self._window.addAction(action)
        action.triggered.connect(lambda: self._run(spec, run))
        return action

    def _run(self, spec: Command[Any], run: Callable[[Any], object]) -> None:
        context = self._context
        if spec.long and context.robot_controller.movable:
            what = f"{spec.menu.partition('/')[0]} > {spec.text.removesuffix('...')}"
            context.banners.robot.show_notice(
                "info",
                f"{what} would block the window for longer than an armed robot tolerates. Disarm the robot first.",
                passing=True,
            )
        else:
            run(context)
        self.refresh_soon()

    @property
    def local(self) -> list[QAction]:
        """The actions whose shortcuts work only in the widgets that they are added to."""
        return [self._actions[spec.id] for spec in self.commands if spec.local]

    def fill(self, bar: QMenuBar) -> None:
        """Make all menus."""
        for spec in self.commands:
            self._add(self._menu(bar, spec.menu), [spec])
        assign_mnemonics(bar)
        for each in self.menus.values():
            # before its size is computed: a letter behind the text makes it wider
            each.aboutToShow.connect(partial(assign_mnemonics, each))

    def _add(self, menu: QMenu, commands: Sequence[Command[Any]]) -> None:
        for spec in commands:
            if spec.id == SEPARATOR:
                menu.addSeparator()
            elif spec.run is not None:
                menu.addAction(self._actions[spec.id])

    def replace(self, menu: str, commands: Sequence[Command[Any]]) -> None:
        """Replace the commands of a menu without submenus; commands that stay keep their actions."""
        present = [spec for spec in self.commands if spec.menu == menu]
        before = {spec.id: spec for spec in present}
        new = [_same(before.get(spec.id), spec) for spec in commands]
        if new == present:
            return
        first = next(i for i, spec in enumerate(self.commands) if spec.menu == menu)
        others = [spec for spec in self.commands if spec.menu != menu]
        self.commands = [*others[:first], *new, *others[first:]]
        for spec in before.values():
            if spec not in new and spec.run is not None:
                self._texts.pop(spec.id, None)
                action = self._actions.pop(spec.id)
                self._window.removeAction(action)
                action.deleteLater()
        for spec in new:
            if spec.id not in self._actions and spec.run is not None:
                self._actions[spec.id] = self._make(spec, spec.run)
        if menu in self.menus:
            self.menus[menu].clear()
            self._add(self.menus[menu], new)
        self.refresh()

    def _menu(self, bar: QMenuBar, path: str) -> QMenu:
        if path not in self.menus:
            above, _, name = path.rpartition("/")
            if above:
                self.menus[path] = self._menu(bar, above).addMenu(name)
            else:
                self.menus[path] = Menu(name, bar)
                bar.addMenu(self.menus[path])
        return self.menus[path]

    def assign_space_key(self, name: str) -> None:
        """Assign the space bar to one command, play or the stop of a connected robot, and take it from the other."""
        for each in ("play", "stop_robot"):
            self._actions[each].setShortcuts(
                [QKeySequence(Qt.Key.Key_Space)] if each == name else []
            )

    def refresh_soon(self) -> None:
        """Update texts, check marks and enabled states once, when the event loop is idle."""
        self._timer.start(0)

    def refresh_later(self) -> None:
        """Update actions at a limited rate: a drag changes the scene in every frame, but hardly ever a menu."""
        if not self._timer.isActive():
            self._timer.start(_PACE_MS)

    def refresh(self) -> None:
        """Update texts, check marks and enabled states."""
        context = self._context
        if BODY_MENU in self.menus:
            self.menus[BODY_MENU].menuAction().setVisible(context.document.scene.body.strained)
        renamed: set[str] = set()
        for spec in self.commands:
            action = self._actions.get(spec.id)
            if action is None:
                continue
            action.setEnabled(spec.enabled(context))
            if spec.checked is not None:
                action.setChecked(spec.checked(context))
            text = spec.label(context) if spec.label is not None else spec.text
            if text != self._texts.get(spec.id):
                self._texts[spec.id] = text
                action.setText(text)
                action.setToolTip(_tip(text, spec))
                renamed.add(spec.menu)
        for menu in renamed & self.menus.keys():
            if self.menus[menu].isVisible():
                assign_mnemonics(self.menus[menu])

    def plain_keys(self) -> dict[str, str]:
        """Titles of the commands whose shortcut is a key without Ctrl or Alt, by that key."""
        return {
            keys: spec.text.removesuffix("...")
            for spec in self.commands
            for keys in spec.shortcuts
            if "+" not in keys and spec.id != SEPARATOR
        }

    def shortcuts(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """All shortcuts by menu, for the list in the Help menu."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for spec in self.commands:
            if spec.shortcuts:
                keys = " or ".join(_native(keys) for keys in spec.shortcuts)
                text = "Play or pause" if spec.id == "play" else spec.text.removesuffix("...")
                top, *below = spec.menu.split("/")
                # "CSV" alone is not clear
                groups.setdefault(top, []).append((keys, ": ".join([*below, text])))
        return list(groups.items())


def _same(before: Command[Any] | None, spec: Command[Any]) -> Command[Any]:
    """Return the previous command if everything shown of it is the same."""
    if before is not None and (before.text, before.icon, before.tip) == (
        spec.text,
        spec.icon,
        spec.tip,
    ):
        return before
    return spec


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _tip(text: str, spec: Command[Any]) -> str:
    keys = f" ({_native(spec.shortcuts[0])})" if spec.shortcuts else ""
    return f"{text}{keys}" + (f"\n{spec.tip}" if spec.tip else "")
