"""Every export format, also of a plug-in, in the menu, remote control, Python, the command line and drags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QDrag
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import snakestudio as ss
from snakestudio.api import Run, load_run
from snakestudio.cli import main
from snakestudio.export.formats import EXPORTS, ExportKind, of_subject
from snakestudio.gui.remote.methods import Methods
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.plugins.loading import load, unload
from tests.gui.test_viewport import LEFT

pytestmark = pytest.mark.gui
TOY = Path(__file__).parents[1] / "toys" / "milestones.py"
SMALL = ("--size", "64x48", "--fps", "5")


@pytest.fixture
def toy(recorded: MainWindow) -> Iterator[MainWindow]:
    load(TOY)
    recorded.context.document.kinds_changed.emit()
    yield recorded
    unload("milestones")


def content(path: Path) -> bytes:
    """Content of a file, or of all files of a folder."""
    files = [path] if path.is_file() else sorted(path.iterdir())
    return b"".join(file.read_bytes() for file in files)


def python_export(run: Run, kind: ExportKind, path: Path) -> Path:
    """Export in Python."""
    if kind.subject == "contact_problem":
        ss.continue_from(run, 0.9, 1.0, problem=path)
        return path
    if kind.subject == "scene":
        return ss.export_scene(run, path, kind.name)
    options: dict[str, Any] = {"width": 64, "height": 48, "fps": 5} if kind.name == "video" else {}
    return run.export(path, kind.name, **options)


def command_line(file: Path, kind: ExportKind, path: Path) -> list[str]:
    """Arguments that export on the command line."""
    if kind.subject == "contact_problem":
        return ["run", str(file), "--from", "0.9", "--contact-problem", str(path)]
    if not kind.ending:
        return ["export", str(file), f"--{kind.name}", str(path)]
    return ["export", str(file), "--to", str(path), *(SMALL if kind.name == "video" else ())]


def test_every_format_is_offered_by_all_faces(toy: MainWindow, tmp_path: Path) -> None:
    context = toy.context
    kinds = of_subject("run", "contact_problem", "scene", "view")
    assert {"milestones", "obstacle_list", "csv", "plan"} <= {kind.name for kind in kinds}
    commands = {spec.id for spec in context.action_registry.commands}
    remote = {each["kind"] for each in Methods(context).formats()}
    dragged = [action.text() for action in context.drag_out.make_menu().actions()]
    assert dragged == [kind.title for kind in kinds]
    file = tmp_path / "run.mcap"
    recording = context.session_controller.recording
    assert recording is not None
    Run(recording, "short.toml", base_dir=context.document.base_dir).to_mcap(file)
    run = load_run(file)
    for kind in kinds:
        if kind.subject == "view":
            assert kind.name in commands
            continue
        assert f"export_{kind.name}" in commands
        assert kind.name in remote
        one, other = (tmp_path / f"{face}_{kind.name}{kind.ending}" for face in ("py", "cli"))
        if kind.name == "video":
            one, other = one.with_suffix(".gif"), other.with_suffix(".gif")
        assert content(python_export(run, kind, one)), kind.name
        assert main(command_line(file, kind, other)) == 0, kind.name
        assert content(other), kind.name
        if kind.subject == "scene" or kind.name in ("csv", "milestones"):
            assert content(one) == content(other), kind.name
    run.close()


@pytest.mark.parametrize("name", ["csv", "milestones", "obstacle_list", "figures", "screenshot"])
def test_file_is_dragged_out_of_the_window(
    toy: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    button = toy.context.drag_out
    kind = EXPORTS[name]
    button.choose(kind)
    assert kind.title in button.toolTip()
    seen: list[Path] = []

    def drop(drag: QDrag, *_: object) -> None:
        (url,) = drag.mimeData().urls()
        seen.append(Path(url.toLocalFile()))

    monkeypatch.setattr(QDrag, "exec", drop)
    middle = button.rect().center()

    def drag() -> None:
        QTest.mousePress(button, LEFT, pos=middle)
        QTest.mouseMove(button, middle + QPoint(30, 30))

    drag()
    qtbot.waitUntil(lambda: len(seen) == 1, timeout=60_000)
    assert content(seen[0])
    assert seen[0].suffix == kind.ending
    QTest.mouseRelease(button, LEFT, pos=middle)
    if kind.subject != "view":
        drag()
        assert seen == [seen[0]] * 2, "the same file is not written again"
        QTest.mouseRelease(button, LEFT, pos=middle)
    toy.context.exporter.close()
    assert not seen[0].exists(), "it is temporary"


def test_file_that_is_written_too_late_is_offered(
    toy: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    button = toy.context.drag_out
    button.choose(EXPORTS["milestones"])
    monkeypatch.setattr(QDrag, "exec", lambda *_: pytest.fail("no button is held"))
    middle = button.rect().center()
    with qtbot.waitSignal(toy.context.exporter.finished, timeout=60_000):
        QTest.mousePress(button, LEFT, pos=middle)
        QTest.mouseMove(button, middle + QPoint(30, 30))
        QTest.mouseRelease(button, LEFT, pos=middle)
    qtbot.waitUntil(lambda: "is ready" in toy.context.banners.exports.text)
    assert ".miles" in toy.context.banners.exports.text


def test_drag_without_a_run_is_explained(window: MainWindow) -> None:
    button = window.context.drag_out
    middle = button.rect().center()
    QTest.mousePress(button, LEFT, pos=middle)
    QTest.mouseMove(button, middle + QPoint(30, 30))
    QTest.mouseRelease(button, LEFT, pos=middle)
    assert "not available now" in window.context.banners.exports.text


def test_chosen_format_of_a_missing_plugin_is_csv(toy: MainWindow) -> None:
    toy.context.drag_out.choose(EXPORTS["milestones"])
    unload("milestones")
    assert toy.context.drag_out.kind is EXPORTS["csv"]
    load(TOY)
    assert toy.context.drag_out.kind is EXPORTS["milestones"]
    assert isinstance(toy.context.exporter, Exporter)
