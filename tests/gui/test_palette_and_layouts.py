"""The command palette, layouts of the panels, and keyboard navigation in the window."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.app import features
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.forms.name_dialog import NameDialog
from snakestudio.gui.shell.command_palette import (
    CommandEntry,
    CommandPalette,
    command_entries,
    ranked,
)
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.modal_overlay import open_overlay
from snakestudio.viewmodel.matching import match
from tests.gui.conftest import fill_docks
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.parts import label
from tests.gui.pages.robot import connect_link

LEFT = Qt.MouseButton.LeftButton
NOTHING = Qt.KeyboardModifier.NoModifier


def keyboard() -> QWidget:
    """Widget with the keyboard focus."""
    now: QWidget | None = QApplication.focusWidget()
    assert now is not None
    return now


@pytest.fixture
def palette(window: MainWindow, qtbot: QtBot) -> CommandPalette:
    window.context.viewport.setFocus()
    QTest.keySequence(window.context.viewport, QKeySequence("Ctrl+K"))
    opened = open_overlay(window, CommandPalette)
    assert opened is not None
    qtbot.waitUntil(lambda: keyboard() is opened.field)
    return opened


# --- matching -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text", "letters"),
    [
        ("", "Save", set()),
        ("sa", "Save", {0, 1}),
        ("as", "Save As", {5, 6}),
        ("for obst", "Obstacle Forces", {0, 1, 2, 3, 9, 10, 11}),
        ("ec", "Export CSV", {0, 7}),
        ("ave", "Save", {1, 2, 3}),
        ("expv", "Export Video", {0, 1, 2, 7}),
    ],
)
def test_letters_match_the_intended_text(query: str, text: str, letters: set[int]) -> None:
    result = match(query, text)
    assert result is not None
    assert result.letters == letters


@pytest.mark.parametrize(
    ("query", "text"), [("x", "Save"), ("save x", "Save"), ("sv", "Scene in a very long text v")]
)
def test_other_letters_do_not_match(query: str, text: str) -> None:
    result = match(query, text)
    assert result is None or text.startswith(
        "Scene"
    )  # initials may match, scattered letters may not
    assert match("evas", "Save") is None


def test_initial_and_short_matches_come_first() -> None:
    texts = ["Unsaved", "Save As...", "Save", "Go to Saved", "Export CSV..."]
    scores = {text: result.score for text in texts if (result := match("save", text)) is not None}
    assert sorted(scores, key=lambda text: -scores[text]) == [
        "Save",
        "Save As...",
        "Go to Saved",
        "Unsaved",
    ]


def test_recent_commands_come_first_and_disabled_last() -> None:
    entries = [
        CommandEntry(name, text, "Menu", list)
        for name, text in (("a", "Show one"), ("b", "Show two"))
    ]
    off = CommandEntry("c", "Show", "Menu", list, enabled=False)
    everything = [*entries, off]
    assert [entry.id for entry, _ in ranked(everything, "", [])] == ["a", "b", "c"]
    assert [entry.id for entry, _ in ranked(everything, "", ["b"])] == ["b", "a", "c"]
    assert [entry.id for entry, _ in ranked(everything, "show", ["b"])] == ["b", "a", "c"]
    assert [entry.id for entry, _ in ranked(everything, "menu one", [])] == ["a"]


# --- the palette ----------------------------------------------------------------------------------


def test_all_commands_can_be_found(window: MainWindow) -> None:
    c = window.context
    entries = command_entries(c.action_registry, c.focus_cycle, c.layouts, c.files.open)
    ids = [entry.id for entry in entries]
    assert len(ids) == len(set(ids))
    assert {spec.id for spec in table(features()) if spec.run is not None} - {
        "command_palette"
    } <= set(ids)
    assert {f"panel_{name}" for name in c.docks.all} <= set(ids)
    assert "scene_stairs" in ids
    by_id = {entry.id: entry for entry in entries}
    assert by_id["save"].keys == "Ctrl+S"
    assert by_id["show_grid"].text == "Show: Grid"
    assert by_id["show_grid"].checked
    assert not by_id["undo"].enabled


@pytest.mark.parametrize("query", ["obstacle_aided", "obstacle aided", "friction_patches"])
def test_scenes_are_found_by_file_name(window: MainWindow, query: str) -> None:
    c = window.context
    offers = command_entries(c.action_registry, c.focus_cycle, c.layouts, c.files.open)
    best = ranked(offers, query, [])[0][0]
    assert best.id == f"scene_{query.replace(' ', '_')}"
    assert not any(re.search(r"\bP[1-5]\b", f"{entry.text} {entry.where}") for entry in offers)


def test_hyphen_separates_words_while_space_stops_the_robot(window: MainWindow) -> None:
    c = window.context
    connect_link(window)
    offers = command_entries(c.action_registry, c.focus_cycle, c.layouts, c.files.open)
    palette = CommandPalette(window, offers, c.settings)
    assert "Space stops" in palette.field.placeholderText()
    ids = [entry.id for entry, _ in ranked(offers, "friction-patches", [])]
    assert ids == [entry.id for entry, _ in ranked(offers, "friction patches", [])]
    assert "scene_friction_patches" in ids
    palette.deleteLater()
    c.robot_controller.disconnect_robot()


def test_enter_runs_a_command_and_makes_it_recent(
    palette: CommandPalette, window: MainWindow, qtbot: QtBot
) -> None:
    assert window.context.viewport.options.now.grid
    QTest.keyClicks(palette.field, "grid")
    assert palette.matches[0][0].id == "show_grid"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.context.viewport.options.now.grid)
    assert keyboard() is window.context.viewport
    again = window.context.help_controller.palette()
    assert again.matches[0][0].id == "show_grid"
    assert not again.matches[0][0].checked


def test_disabled_or_missing_commands_do_not_run(
    palette: CommandPalette, window: MainWindow
) -> None:
    QTest.keyClicks(palette.field, "qqq")
    assert label(palette, "nothing_found").isVisible()
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.is_open
    palette.field.clear()
    QTest.keyClicks(palette.field, "undo")
    assert palette.matches[0][0].id == "undo"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.is_open
    QTest.mouseClick(palette, LEFT, NOTHING, QPoint(4, palette.height() - 4))
    assert not palette.is_open


def test_arrows_select_and_a_scene_opens(
    palette: CommandPalette, window: MainWindow, qtbot: QtBot
) -> None:
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.view.currentIndex().row() == len(palette.matches) - 1
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.view.currentIndex().row() == 0
    QTest.keyClick(palette.field, Qt.Key.Key_PageDown)
    assert palette.view.currentIndex().row() > 5
    QTest.keyClicks(palette.field, "open worm")
    names = [entry.id for entry, _ in palette.matches]
    assert set(names[:2]) == {"scene_worm", "scene_worm_accelerating"}
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: window.context.document.name == f"{names[1].removeprefix('scene_')}.toml"
    )


def test_click_shows_a_panel(palette: CommandPalette, window: MainWindow, qtbot: QtBot) -> None:
    window.context.docks["scene"].close()
    fill_docks(window)
    QTest.keyClicks(palette.field, "go scene")
    assert palette.matches[0][0].id == "panel_scene"
    row = palette.view.visualRect(palette.view.model().index(0, 0)).center()
    QTest.mouseClick(palette.view.viewport(), LEFT, NOTHING, row)
    qtbot.waitUntil(
        lambda: (
            window.context.docks["scene"].isVisible()
            and window.context.docks["scene"].isAncestorOf(keyboard())
        )
    )


# --- layouts --------------------------------------------------------------------------------------


def visible(window: MainWindow) -> set[str]:
    return {name for name, dock in window.context.docks.all.items() if dock.isVisible()}


def test_bundled_layouts_show_their_main_panels(window: MainWindow, qtbot: QtBot) -> None:
    fill_docks(window)
    first = visible(window)
    for size in ((1600, 1000), (1280, 720)):
        window.resize(*size)
        qtbot.waitUntil(lambda size=size: (window.width(), window.height()) == size)
        areas: dict[str, tuple[int, int]] = {}
        for name in ("build", "analyse", "run"):
            window.context.action_registry[f"layout_{name}"].trigger()
            qtbot.wait(50)  # layouts are computed in a later turn of the event loop
            plots = window.context.docks["plots"].height() if "plots" in visible(window) else 0
            areas[name] = window.context.viewport.height(), plots
            opened = [window.context.docks[dock] for dock in visible(window)]
            for dock in opened:
                assert window.rect().contains(dock.geometry()), (name, dock.objectName())
                assert not any(
                    dock.geometry().intersects(other.geometry())
                    for other in opened
                    if other is not dock
                )
                assert not dock.geometry().intersects(window.centralWidget().geometry())
            assert (window.width(), window.height()) == size
        assert visible(window) == first
        assert areas["build"][1] == 0
        assert areas["build"][0] > 1.4 * areas["run"][0]
        assert areas["analyse"][1] > 1.25 * areas["run"][1]


def test_layout_is_saved_chosen_and_deleted(
    make_window: Callable[[], MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    window.context.docks["plots"].close()
    window.context.docks["checks"].close()
    messages: list[str] = []

    def fill_in() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, NameDialog):
            QTimer.singleShot(10, fill_in)
            return
        assert not dialog.save_button.isEnabled()
        QTest.keyClicks(dialog.field, "Run")
        messages.append(dialog.sentence.text())
        assert not dialog.save_button.isEnabled()
        QTest.keyClicks(dialog.field, " & look")
        QTest.mouseClick(dialog.save_button, LEFT)

    QTimer.singleShot(0, fill_in)
    window.context.action_registry["save_layout"].trigger()
    assert len(messages) == 1
    assert messages[0].startswith("Run ")
    assert window.context.layouts.saved == ["Run & look"]
    visible_docks = visible(window)
    window.context.action_registry["layout_run"].trigger()
    assert visible(window) > visible_docks
    window.close()

    other = make_window()
    assert other.context.layouts.saved == ["Run & look"]
    menu = other.context.action_registry.menus["View/Layouts"]
    for _ in range(2):  # it can be opened any number of times
        menu.aboutToShow.emit()
    choices = [action for action in menu.actions() if plain(action.text()) == "Run & look"]
    assert len(choices) == 1
    choices[0].trigger()
    assert visible(other) == visible_docks
    delete = other.context.action_registry.menus["View/Layouts/Delete Layout"]
    assert delete.isEnabled()
    delete.aboutToShow.emit()
    delete.actions()[0].trigger()
    assert other.context.layouts.saved == []
    menu.aboutToShow.emit()
    assert not delete.isEnabled()


def test_layouts_of_another_version_are_reported(
    make_window: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.gui.shell.layouts._VERSION", 1)
    old = make_window()
    old.context.docks["scene"].close()
    old.context.layouts.save("Mine")
    old.close()
    monkeypatch.undo()
    window = make_window()
    assert "another version" in window.context.banners.program.text
    assert window.context.docks["scene"].isVisible()
    window.context.banners.program.clear()
    before = visible(window)
    window.context.layouts.choose("Mine")
    assert visible(window) == before
    assert "Mine" in window.context.banners.program.text
    NoticePage(window.context.banners.program).buttons[0].click()
    assert window.context.layouts.saved == []
    assert window.context.banners.program.text == ""


# --- keyboard navigation --------------------------------------------------------------------------


def test_f6_cycles_through_open_panels(window: MainWindow) -> None:
    fill_docks(window)
    window.context.viewport.setFocus()
    panes = window.context.focus_cycle.all
    assert len(panes) == 3 + len(visible(window))
    seen: list[QWidget] = []
    while (present := window.context.focus_cycle.present()) is not None and present not in seen:
        seen.append(present)
        QTest.keySequence(keyboard(), QKeySequence("F6"))
    assert present is window.context.viewport
    # nothing in it takes keys without problems
    assert set(panes) - set(seen) <= {window.context.docks["checks"]}
    QTest.keySequence(keyboard(), QKeySequence("Shift+F6"))
    assert window.context.focus_cycle.present() is seen[-1]
    window.context.docks["scene"].close()
    assert window.context.docks["scene"] not in window.context.focus_cycle.all
    window.context.focus_cycle.focus_dock("scene")
    assert window.context.docks["scene"].isAncestorOf(keyboard())


@pytest.mark.parametrize("before", ["nothing", "a button", "a plot"])
def test_keys_of_the_viewport_act_under_the_mouse(
    drawn: MainWindow, qtbot: QtBot, before: str
) -> None:
    """After the palette returns the keyboard focus to a widget without use for the key."""
    fill_docks(drawn)
    owner: QWidget | None = None
    if before == "a button":
        buttons = drawn.context.run_bar.findChildren(QAbstractButton)
        owner = next(
            each
            for each in buttons
            if each.isVisible() and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        )
    elif before == "a plot":
        panel = next(iter(drawn.context.plot_docks.panels.values()))
        qtbot.waitUntil(lambda: bool(panel.plots))
        owner = panel.plots[0].chart
    if owner is not None:
        owner.setFocus()
    else:
        keyboard().clearFocus()
    window = drawn.windowHandle()
    QTest.keySequence(window, QKeySequence("Ctrl+K"))
    opened = open_overlay(drawn, CommandPalette)
    assert opened is not None
    qtbot.waitUntil(lambda: keyboard() is opened.field)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is owner
    QTest.mouseMove(drawn.context.run_bar)
    qtbot.waitUntil(lambda: not drawn.context.viewport.underMouse(), timeout=5_000)
    QTest.keyClick(window, Qt.Key.Key_P)
    assert not drawn.context.viewport.tools.path_tool.drawing, (
        "elsewhere it is not a key of the viewport"
    )
    QTest.mouseMove(drawn.context.viewport)
    qtbot.waitUntil(drawn.context.viewport.underMouse, timeout=5_000)
    QTest.keyClick(window, Qt.Key.Key_Shift)
    assert QApplication.focusWidget() is owner, (
        "a key that the viewport does not use leaves the focus unchanged"
    )
    QTest.keyClick(window, Qt.Key.Key_P)
    assert drawn.context.viewport.tools.path_tool.drawing
    assert keyboard() is drawn.context.viewport, "further keys belong to the path"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not drawn.context.viewport.tools.path_tool.drawing
