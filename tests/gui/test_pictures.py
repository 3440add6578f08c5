"""Pictures of the documentation: in true colour, and with the texts of the present window."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.paths import resource
from tests.conftest import ROOT
from tests.gui.conftest import COMPILING_MS

SCRIPT = runpy.run_path(str(ROOT / "packaging" / "window_pictures.py"))
IMAGES = [
    *sorted(resource("pictures").glob("*.png")),
    *sorted((ROOT / "docs" / "tutorials" / "images").glob("*.png")),
]


@pytest.mark.parametrize("path", IMAGES, ids=lambda path: path.stem)
def test_picture_is_in_true_colour(path: Path) -> None:
    with Image.open(path) as image:
        assert image.mode in ("RGB", "RGBA")


def test_every_picture_of_the_window_has_its_texts() -> None:
    pictures, texts = (
        {path.stem for path in resource("pictures").glob(f"*.{kind}")} for kind in ("png", "txt")
    )
    assert pictures == texts == set(SCRIPT["PICTURES"])


@pytest.mark.gui
@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_texts_of_the_picture_are_those_of_the_window(
    make_window: Callable[[], MainWindow], qtbot: QtBot, name: str
) -> None:
    window = make_window()
    window.resize(SCRIPT["SIZE"])
    qtbot.waitUntil(lambda: window.size() == SCRIPT["SIZE"])
    SCRIPT["render"](
        window, name, lambda condition: qtbot.waitUntil(condition, timeout=COMPILING_MS)
    )
    stored = resource("pictures", f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert SCRIPT["visible_texts"](window) == stored, "run packaging/window_pictures.py"
    window.context.viewport.tools.cancel()
