"""The gallery and the first start: every scene has an image, and all are reachable by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QAction, QEnterEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell.card_view import CardView
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.gallery import Gallery
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.modal_overlay import open_overlay
from snakestudio.gui.shell.tour import STEPS, Tour
from snakestudio.paths import main_scene, resource, scenes_dir
from snakestudio.viewmodel.gallery import entries, matches
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.parts import label

LEFT = Qt.MouseButton.LeftButton
ROOM = 1_200_000
"""Most bytes of all images together."""


def keyboard() -> object:
    return QApplication.focusWidget()


class Plain(QMainWindow):
    """A window with the parts that the gallery uses."""

    def __init__(self, settings: QSettings) -> None:
        super().__init__()
        self.document = Document(self)
        self.files = Files(self.document, Banner(self), settings, self)
        self.below = QPushButton("Below", self)
        self.setCentralWidget(self.below)
        self.asked: list[str] = []
        for keys in ("Space", "Ctrl+N", "1"):
            action = QAction(keys, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _=False, keys=keys: self.asked.append(keys))
            self.addAction(action)


@pytest.fixture
def plain(qtbot: QtBot, tmp_path: Path) -> Plain:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")
    window = Plain(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    window.resize(1280, 800)
    assert window.files.open(MAIN_SCENE)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.below.setFocus()
    return window


def shown_over(window: Plain) -> Gallery:
    gallery = Gallery(window, window.files, window.document)
    gallery.open(gallery.search)
    return gallery


@pytest.fixture
def gallery(plain: Plain, qtbot: QtBot) -> Gallery:
    opened = shown_over(plain)
    qtbot.waitUntil(lambda: keyboard() is opened.search)
    return opened


def click(view: CardView, row: int) -> None:
    QTest.mouseClick(view.viewport(), LEFT, pos=view.card_at(row).center())


def scenes(gallery: Gallery) -> list[str]:
    """Names of the displayed scenes."""
    return [entry.path.stem for entry in gallery.scenes.items]


def test_every_scene_has_images_and_every_image_a_scene() -> None:
    names = {path.stem for path in scenes_dir().glob("*.toml")}
    pictures = list(resource("gallery").iterdir())
    assert {path.name for path in pictures} == {
        f"{name}-{theme}.png" for name in names for theme in ("dark", "light")
    }
    assert sum(path.stat().st_size for path in pictures) < ROOM


def test_images_are_not_empty_and_have_their_theme() -> None:
    for entry in entries():
        shades = {}
        for name in ("dark", "light"):
            with Image.open(entry.picture(name)) as picture:
                assert picture.size == (480, 288)
                shades[name] = np.asarray(picture.convert("RGB").reduce(3), float)
        # A robot of some colour is in front of the grey floor, and the floor has the colour of the
        # theme.
        for shade in shades.values():
            assert (shade.max(axis=2) - shade.min(axis=2) > 60).mean() > 0.004, entry.path.stem
        assert np.median(shades["light"]) > np.median(shades["dark"]) + 80, entry.path.stem


def test_every_scene_has_description_and_source() -> None:
    for entry in entries():
        assert 5 < len(entry.title) < 60, entry.path.stem
        assert entry.papers, entry.path.stem
        assert len(entry.description) > 80, entry.path.stem
        assert entry.description.endswith((".", ")")), entry.path.stem
    assert entries()[0].path == main_scene()
    assert len({entry.title for entry in entries()}) == len(entries())


def test_query_matches_all_of_its_words() -> None:
    worm = next(entry for entry in entries() if entry.path.stem == "worm_accelerating")
    assert matches(worm, "")
    assert matches(worm, "EARTH worm")
    assert not matches(worm, "worm obstacles")
    assert matches(worm, "increases", paper="P5", model="continuum")
    assert not matches(worm, "", paper="P1")
    assert not matches(worm, "", model="planar")


def test_typing_filters_and_enter_opens(gallery: Gallery, plain: Plain, qtbot: QtBot) -> None:
    assert gallery.scenes.items == list(entries())
    QTest.keyClicks(gallery.search, "stairs P1")
    assert scenes(gallery) == ["stairs"]
    assert "four steps" in gallery.text.text()
    QTest.keyClick(gallery.search, Qt.Key.Key_Return)
    assert plain.document.name == "stairs.toml"
    assert not gallery.is_open
    assert open_overlay(plain, Gallery) is None
    QTest.keySequence(plain, QKeySequence("Ctrl+N"))
    assert plain.asked == ["Ctrl+N"]


def test_card_under_a_resting_mouse_is_not_highlighted(gallery: Gallery, qtbot: QtBot) -> None:
    view = gallery.scenes
    middle = view.card_at(2).center()
    before = gallery.text.text()
    position = QPointF(middle)
    QApplication.sendEvent(
        view.viewport(), QEnterEvent(position, position, QPointF(view.mapToGlobal(middle)))
    )
    assert gallery.text.text() == before
    QTest.mouseMove(view.viewport(), middle)
    qtbot.waitUntil(lambda: entries()[2].title in gallery.text.text())
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor


def test_space_between_cards_opens_nothing(gallery: Gallery) -> None:
    view = gallery.scenes
    card = view.card_at(0)
    QTest.mouseClick(view.viewport(), LEFT, pos=card.bottomRight() + QPoint(6, 6))
    assert gallery.is_open
    assert not view.indexAt(card.topRight() + QPoint(6, 6)).isValid()


def test_cards_fill_the_width_in_equal_columns(
    gallery: Gallery, plain: Plain, qtbot: QtBot
) -> None:
    view = gallery.scenes
    for width, columns in ((1280, 4), (800, 3), (420, 1)):
        plain.resize(width, 800)
        qtbot.waitUntil(lambda columns=columns: view.columns == columns)
        cards = [view.card_at(row) for row in range(columns + 1)]
        assert len({card.top() for card in cards[:columns]}) == 1
        assert cards[columns].top() > cards[0].bottom()
        assert cards[columns - 1].right() <= view.width()
        last = view.card_at(len(entries()) - 1)
        assert view.rect().contains(last), "it is as high as its cards"


def test_escape_clears_the_search_then_closes(gallery: Gallery, plain: Plain, qtbot: QtBot) -> None:
    QTest.keyClicks(gallery.search, "no such scene")
    assert gallery.scenes.items == []
    assert label(gallery, "nothing_found").isVisible()
    QTest.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert gallery.search.text() == ""
    assert gallery.is_open
    QTest.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert not gallery.is_open
    qtbot.waitUntil(lambda: keyboard() is plain.below)
    assert plain.document.origin == MAIN_SCENE.resolve()


def test_chips_filter_by_paper_and_model(gallery: Gallery, qtbot: QtBot) -> None:
    QTest.mouseClick(gallery.chips.papers["P2"], LEFT)
    assert gallery.scenes.items
    assert all("P2" in entry.papers for entry in gallery.scenes.items)
    QTest.mouseClick(gallery.chips.models["spatial"], LEFT)
    assert scenes(gallery) == ["obstacle_aided_3d"]
    QTest.mouseClick(gallery.chips.papers["P5"], LEFT)
    assert gallery.chips.paper == "P5"
    assert not scenes(gallery)
    QTest.mouseClick(gallery.chips.papers["P5"], LEFT)
    QTest.mouseClick(gallery.chips.models["spatial"], LEFT)
    assert len(scenes(gallery)) == len(entries())


def test_arrows_move_through_the_cards(gallery: Gallery, plain: Plain, qtbot: QtBot) -> None:
    starts = gallery.starts
    view = gallery.scenes
    QTest.keyClick(gallery.search, Qt.Key.Key_Down)
    assert keyboard() is starts
    assert starts.current is starts.items[0]
    assert starts.current.title in gallery.text.text()
    QTest.keyClick(starts, Qt.Key.Key_Right)
    QTest.keyClick(starts, Qt.Key.Key_Down)
    assert keyboard() is view
    assert view.current is entries()[1], "the scene below"
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.current is entries()[2]
    assert view.current.title in gallery.text.text()
    for _ in range(len(entries()) // view.columns + 1):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.currentIndex().row() // view.columns == (len(entries()) - 1) // view.columns
    assert view.visibleRegion().contains(view.card_at(view.currentIndex().row()).center())
    for _ in range(len(entries()) // view.columns + 1):
        QTest.keyClick(view, Qt.Key.Key_Up)
    assert keyboard() is starts
    QTest.keyClick(starts, Qt.Key.Key_Up)
    assert keyboard() is gallery.search
    view.focus_card(0)
    QTest.keyClicks(view, "w")
    assert keyboard() is gallery.search
    assert gallery.search.text() == "w"


def test_down_reaches_the_last_card_of_a_short_row(gallery: Gallery, plain: Plain) -> None:
    QTest.keyClicks(gallery.search, "pipe")
    view = gallery.scenes
    count = len(view.items)
    assert view.columns < count < 2 * view.columns
    view.focus_card(view.columns - 1)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current is view.items[-1]
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert plain.document.origin == entries()[entries().index(view.items[-1])].path.resolve()


def test_right_continues_in_the_next_row(gallery: Gallery) -> None:
    view = gallery.scenes
    view.focus_card(view.columns - 1)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.current is entries()[view.columns]
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.current is entries()[view.columns - 1]


def test_screen_readers_get_titles_and_descriptions(gallery: Gallery) -> None:
    view = gallery.scenes
    entry = entries()[3]
    index = view.model().index(3, 0)
    assert view.accessibleName() == "Scenes"
    assert index.data() == entry.title
    assert index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == entry.description


def test_click_opens_a_scene_and_is_not_passed_on(
    gallery: Gallery, plain: Plain, qtbot: QtBot
) -> None:
    QTest.keyClick(gallery.search, Qt.Key.Key_Space)
    QTest.keySequence(gallery.search, QKeySequence("Ctrl+N"))
    gallery.scenes.focus_card(0)
    QTest.keyClicks(gallery.scenes, "1")
    assert plain.asked == []
    gallery.search.clear()
    click(gallery.scenes, 1)
    assert plain.document.origin == entries()[1].path.resolve()
    assert not gallery.is_open


def test_gallery_offers_an_empty_scene_and_recent_files(
    plain: Plain, tmp_path: Path, qtbot: QtBot
) -> None:
    mine = tmp_path / "mine & <yours>.toml"
    mine.write_text(MAIN_SCENE.read_text())
    assert plain.files.open(mine)
    gallery = shown_over(plain)
    assert [start.path for start in gallery.starts.items][:3] == [None, None, mine.resolve()]
    click(gallery.starts, 0)
    assert plain.document.path is None
    assert plain.document.scene.obstacles == ()
    again = shown_over(plain)
    QTest.keyClick(again.search, Qt.Key.Key_Down)
    QTest.keyClick(again.starts, Qt.Key.Key_Right)
    QTest.keyClick(again.starts, Qt.Key.Key_Right)
    assert "mine &amp; &lt;yours&gt;" in again.text.text()
    QTest.keyClick(again.starts, Qt.Key.Key_Space)
    assert plain.document.origin == mine.resolve()


def test_tab_stays_inside_and_outside_click_closes(
    gallery: Gallery, plain: Plain, qtbot: QtBot
) -> None:
    for _ in range(12):
        now = QApplication.focusWidget()
        assert now is not None
        assert gallery.isAncestorOf(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    before = keyboard()
    QTest.mouseClick(gallery.frame, LEFT, pos=QPoint(40, 40))
    assert keyboard() is before
    assert gallery.is_open
    plain.resize(1100, 700)
    qtbot.waitUntil(lambda: gallery.size() == plain.size())
    assert gallery.rect().contains(gallery.frame.geometry())
    QTest.mouseClick(gallery, LEFT, pos=QPoint(5, 300))
    assert not gallery.is_open


def test_first_start_shows_gallery_and_tour_once(window: MainWindow, qtbot: QtBot) -> None:
    window.context.help_controller.welcome()
    gallery = open_overlay(window, Gallery)
    assert gallery is not None
    assert window.context.help_controller.gallery() is gallery
    QTest.keyClick(gallery.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: open_overlay(window, Tour) is not None)
    tour = open_overlay(window, Tour)
    assert tour is not None
    QTest.keyClick(tour, Qt.Key.Key_Escape)
    assert not tour.is_open
    window.context.help_controller.welcome()
    assert open_overlay(window, Gallery) is None
    window.context.settings.sync()
    stored = QSettings(window.context.settings.fileName(), QSettings.Format.IniFormat)
    assert stored.value("welcome/gallery_seen", type=bool)
    assert stored.value("welcome/tour_seen", type=bool)


def test_tour_highlights_its_widgets(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.context.docks["plots"].close()
    window.context.action_registry["tour"].trigger()
    tour = open_overlay(window, Tour)
    assert tour is not None
    parts = window.context
    seen = []
    targets: dict[str, QWidget] = {
        "run_bar": parts.run_bar,
        "viewport": parts.viewport,
        "time_bar": parts.time_bar,
        "menu_bar": window.menuBar(),
    }
    for index, step in enumerate(STEPS):
        qtbot.waitUntil(lambda index=index: tour.step_index == index)
        target = (
            targets[step.target] if step.target in targets else window.context.docks[step.target]
        )
        qtbot.waitUntil(lambda target=target: target.isVisible() and not tour.bright().isEmpty())
        corner = target.mapTo(window, QPoint(0, 0))
        assert tour.bright().boundingRect().toRect().topLeft() == corner
        assert not tour.bright().isEmpty()
        assert tour.rect().contains(tour.frame.geometry())
        assert tour.title.text() == step.title
        seen.append(tour.frame.geometry().topLeft())
        if index == 2:
            QTest.keyClick(keyboard(), Qt.Key.Key_Left)
            assert tour.step_index == 1
            QTest.keyClick(keyboard(), Qt.Key.Key_Right)
        if index == 1:
            window.resize(1000, 680)
            qtbot.waitUntil(lambda: tour.size() == window.size())
            QTest.keyClick(keyboard(), Qt.Key.Key_Return)
        else:
            QTest.mouseClick(tour.next_button, LEFT)
    assert window.context.docks["plots"].isVisible()
    assert len({(point.x(), point.y()) for point in seen}) > 3
    assert not tour.is_open
