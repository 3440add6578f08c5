"""Dialog for the options of a format: rows from its dataclass, checks, remembered values, export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from snakestudio.export.format_options import export_option
from snakestudio.export.formats import EXPORTS
from snakestudio.gui.core.file_dialogs import EXPORT_FOLDERS, FileFolders
from snakestudio.gui.forms.editors import ChoiceEditor, NumberEditor, SwitchEditor, TextEditor
from snakestudio.gui.runs.export_dialog import ExportDialog, option_fields
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.plugins.loading import load, unload
from tests.gui.pages.hands import type_into

pytestmark = pytest.mark.gui
TOY = Path(__file__).parents[1] / "toys" / "milestones.py"


@pytest.fixture
def toy(recorded: MainWindow) -> Iterator[MainWindow]:
    load(TOY)
    recorded.context.document.kinds_changed.emit()
    yield recorded
    unload("milestones")


def opened(window: MainWindow, command: str) -> ExportDialog:
    window.context.action_registry.refresh()
    window.context.action_registry[command].trigger()
    (dialog,) = [each for each in window.findChildren(ExportDialog) if each.isVisible()]
    return dialog


@dataclass(frozen=True)
class Many:
    """Options of all kinds."""

    count: int = 3
    width_m: float = 10.0
    on: bool = True
    name: str = "a"
    look: Literal["thin", "thick"] = "thin"
    limit_m: float | None = None
    columns: tuple[str, ...] = ()
    secret: int = export_option(1, visible=False)


def test_rows_follow_the_types_of_the_fields() -> None:
    fields = option_fields(Many)
    assert list(fields) == ["count", "width_m", "on", "name", "look", "limit_m"]
    assert fields["count"].integer
    assert (fields["width_m"].label, fields["width_m"].unit) == ("&Width", "m")
    assert fields["limit_m"].optional
    choices = fields["look"].choices
    assert choices is not None
    assert not callable(choices)
    assert [each.value for each in choices] == ["thin", "thick"]
    assert option_fields(None) == option_fields(EXPORTS["model"].options) == {}


def test_options_of_a_plugin_are_chosen_in_the_dialog(
    toy: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = toy.context.exporter
    dialog = opened(toy, "export_milestones")
    editors = [type(each) for each in dialog.form.editors.values()]
    assert editors == [NumberEditor, NumberEditor, NumberEditor, ChoiceEditor]
    assert "1" in dialog.form.fields["every"].help or dialog.form.fields["every"].minimum == 1
    type_into(dialog.form.widget_of("every"), "0", enter=False)
    assert not dialog.choose_button.isEnabled()
    type_into(dialog.form.widget_of("every"), "20", enter=False)
    type_into(dialog.form.widget_of("start_s"), "0.5", enter=False)
    type_into(dialog.form.widget_of("end_s"), "0.4", enter=False)
    assert "start_s" in dialog.message.text()
    assert not dialog.choose_button.isEnabled()
    type_into(dialog.form.widget_of("end_s"), "9", enter=False)
    assert dialog.choose_button.isEnabled()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    dialog.choose_button.click()
    assert dialog.isVisible(), "a cancelled file dialog changes nothing"
    path = tmp_path / "run.miles"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(exporter.finished, timeout=60_000) as done:
        dialog.choose_button.click()
    assert done.args == [path], toy.context.banners.exports.text
    np.testing.assert_allclose(np.loadtxt(path)[:, 0], [0.6, 0.8, 1.0], atol=1e-9)
    again = opened(toy, "export_milestones")
    assert (again.options.every, again.options.start_s) == (20, 0.5), "the values are remembered"
    again.form.reset("every")
    assert again.options.every == 10
    again.reject()


def test_plan_and_figures_have_options_in_the_window(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = recorded.context.exporter
    dialog = opened(recorded, "export_plan")
    assert [type(each) for each in dialog.form.editors.values()] == [NumberEditor, SwitchEditor]
    type_into(dialog.form.widget_of("width_mm"), "90", enter=False)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "plan"), "Drawing (*.svg)")
    )
    with qtbot.waitSignal(exporter.finished, timeout=60_000):
        dialog.choose_button.click()
    assert b'width="255.1' in (tmp_path / "plan.svg").read_bytes()[:2000]
    dialog = opened(recorded, "export_figures")
    dialog.form.widget_of("suffix").setCurrentText(".svg")
    folder = tmp_path / "figures"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    with qtbot.waitSignal(exporter.finished, timeout=60_000):
        dialog.choose_button.click()
    assert {path.suffix for path in folder.iterdir()} == {".svg"}


def test_text_has_a_text_field(recorded: MainWindow) -> None:
    from snakestudio.gui.forms.declared_form import DeclaredForm

    form = DeclaredForm(Many(), option_fields(Many), recorded)
    assert isinstance(form.editors["name"], TextEditor)
    assert isinstance(form.editors["on"], SwitchEditor)
    assert isinstance(form.editors["limit_m"], NumberEditor)


def test_new_formats_start_in_the_folder_of_the_last_export(
    recorded: MainWindow, tmp_path: Path
) -> None:
    folders = FileFolders.of(recorded)
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    folders.remember(f"{EXPORT_FOLDERS}csv", first)
    for name in ("plan", "model", "contact_problem", "screenshot", "milestones", "csv"):
        assert folders.start(f"{EXPORT_FOLDERS}{name}") == first, name
    folders.remember(f"{EXPORT_FOLDERS}plan", second)
    assert folders.start(f"{EXPORT_FOLDERS}csv") == first, "each format has its own folder"
    assert folders.start(f"{EXPORT_FOLDERS}model") == second
