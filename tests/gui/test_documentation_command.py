"""Help > Documentation opens the built pages, and offers Markdown if they are missing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell import help_controller
from snakestudio.gui.shell.help_controller import HelpController
from snakestudio.paths import docs_dir

pytestmark = pytest.mark.gui


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths that were opened on the desktop."""
    paths: list[Path] = []

    def open_url(url: Any) -> bool:
        paths.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    return paths


@pytest.fixture
def banner(qtbot: QtBot) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    return banner


@pytest.fixture
def controller(qtbot: QtBot, banner: Banner) -> HelpController:
    window = QMainWindow()
    qtbot.addWidget(window)
    context: Any = SimpleNamespace(banners=SimpleNamespace(program=banner))
    graphics: Any = None
    return HelpController(context, window, graphics)


def use_page(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    monkeypatch.setattr(help_controller, "documentation_page", lambda: page)


def test_built_documentation_opens_in_the_browser(
    controller: HelpController,
    banner: Banner,
    opened: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = tmp_path / "index.html"
    page.write_text("<h1>SnakeStudio</h1>")
    use_page(monkeypatch, page)
    controller.documentation()
    assert opened == [page]
    assert banner.text == ""


def test_missing_site_offers_the_markdown_pages(
    controller: HelpController,
    banner: Banner,
    opened: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_page(monkeypatch, tmp_path / "index.html")
    controller.documentation()
    assert opened == []
    assert "make docs" in banner.text
    (button,) = (each for each in banner.findChildren(QPushButton) if "Pages" in each.text())
    button.click()
    assert opened == [docs_dir()]


def test_missing_browser_names_the_page(
    controller: HelpController,
    banner: Banner,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = tmp_path / "index.html"
    page.write_text("")
    use_page(monkeypatch, page)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    controller.documentation()
    assert str(page) in banner.text
