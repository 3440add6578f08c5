"""The profile editor: tables, forms, problems that lead to cells, undo, files, and the connected robot."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from snakestudio.errors import Problem, ProfileError
from snakestudio.gui.profile.dbc_page import DbcPage
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.editor import ProfileEditor
from snakestudio.gui.profile.joints_page import GenerateDialog, JointsPage
from snakestudio.gui.profile.messages_page import MessagesPage
from snakestudio.gui.profile.pages import FormPage
from snakestudio.gui.profile.sequences_page import SequencesPage
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.binding import resolve
from snakestudio.link.profile.library import new_profile, own, shipped
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Axis, StatusValue, Step
from snakestudio.model.edits import with_values
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.model.scene import Scene
from snakestudio.paths import resource
from snakestudio.viewmodel.cells import columns_of
from tests.gui.pages.hands import show_widget, type_into
from tests.gui.profile.robots import FakeRobot

pytestmark = pytest.mark.gui


@pytest.fixture(autouse=True)
def _no_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer unexpected questions with Discard, because no user is there to click."""
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Discard)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A profile of the user."""
    return new_profile("lab_robot", tmp_path / "mine")


@pytest.fixture
def editor(qtbot: QtBot, path: Path) -> ProfileEditor:
    """The editor with this profile, without a robot."""
    return show_widget(qtbot, ProfileEditor(ProfileDocument(path)))


def joints(editor: ProfileEditor) -> JointsPage:
    page = editor.pages["Joints"]
    assert isinstance(page, JointsPage)
    return page


def messages(editor: ProfileEditor) -> MessagesPage:
    page = editor.pages["Messages"]
    assert isinstance(page, MessagesPage)
    return page


def column_of(page: JointsPage, name: str) -> int:
    return [column.name for column in page.model.columns].index(name)


# -------------------------------------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("model", "name", "text", "value"),
    [
        (Axis, "offset_deg", "1/2", 0.5),
        (Axis, "offset_deg", "0.1 rad", math.degrees(0.1)),
        (Axis, "sign", "-1", -1),
        (Axis, "max_deg", "", None),
        (Axis, "axis", "Pitch", "pitch"),
        (StatusValue, "mask", "0x4F", 0x4F),
        (
            Step,
            "signals",
            "Mode = 3, Name = node + 1, Gain = -0.5",
            {"Mode": 3, "Name": "node + 1", "Gain": -0.5},
        ),
        (
            Step,
            "signals",
            'Do = "Clear, \\"then\\" arm", X = off on',
            {"Do": 'Clear, "then" arm', "X": "off on"},
        ),
        (Step, "signals", 'Mode = "12", Now = "true"', {"Mode": "12", "Now": "true"}),
        (Step, "signals", "", {}),
        (Step, "extended", "yes", True),
    ],
)
def test_typed_texts_become_values(model: type, name: str, text: str, value: object) -> None:
    (column,) = columns_of(model, [name])
    assert (
        column.value(text) == pytest.approx(value)
        if isinstance(value, float)
        else column.value(text) == value
    )
    again = column.value(column.text(column.value(text)))
    assert again == pytest.approx(value) if isinstance(value, float) else again == value


@pytest.mark.parametrize(
    ("model", "name", "text", "parts"),
    [
        (Axis, "node", "1.5", ("Node", "1.5")),
        (Axis, "node", "0xZZ", ("0xZZ",)),
        (Axis, "axis", "sway", ("Axis", "yaw, pitch, roll")),
        (Step, "signals", "Mode", ("Mode is not ", "Mode = 3, Speed = 100")),
        (Step, "signals", 'A = 1, B = "x', ('B = "x is not ', "Mode = 3, Speed = 100")),
        (Step, "extended", "perhaps", ("29-bit id", "yes or no")),
    ],
)
def test_invalid_texts_are_refused_with_a_message(
    model: type, name: str, text: str, parts: tuple[str, ...]
) -> None:
    (column,) = columns_of(model, [name])
    with pytest.raises(NumberTextError) as refused:
        column.value(text)
    assert all(part in str(refused.value) for part in parts)


# ------------------------------------------------------------------------------------------- tables


def test_every_shipped_profile_is_shown_on_every_page(qtbot: QtBot) -> None:
    for path in shipped():
        editor = show_widget(qtbot, ProfileEditor(ProfileDocument(path)))
        for row in range(editor.nav.count()):
            editor.nav.setCurrentRow(row)
        assert editor.document.profile == load_profile(path).profile
        assert messages(editor).layouts


def test_valid_edit_of_a_cell_is_one_undo_step(editor: ProfileEditor) -> None:
    page = joints(editor)
    document = editor.document
    index = page.model.index(0, column_of(page, "offset_deg"))
    assert page.model.setData(index, "12.5")
    assert document.profile.axes[0].offset_deg == 12.5
    assert editor.windowTitle().startswith("lab_robot.toml")
    assert editor.isWindowModified()
    assert not page.model.setData(page.model.index(1, column_of(page, "node")), "-3")
    assert "axes[2].node must be" in page.table.message.text()
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.profile.axes[0].offset_deg == 0
    assert not document.dirty


def test_rows_are_added_duplicated_filled_moved_and_removed(editor: ProfileEditor) -> None:
    page = joints(editor)
    document = editor.document
    table = page.table
    table.select_part(19)
    table.add()
    assert len(document.profile.axes) == 21
    assert (document.profile.axes[20].joint, document.profile.axes[20].node) == (11, 11)
    table.select_part(0, "gear")
    page.model.setData(page.model.index(0, column_of(page, "gear")), "50")
    table.fill_down()
    assert {axis.gear for axis in document.profile.axes} == {50.0}
    table.select_part(20)
    table.remove()
    table.select_part(0)
    table.duplicate()
    assert document.profile.axes[0] == document.profile.axes[1]
    for _ in range(5):
        document.undo_stack.undo()
    assert not document.dirty


def test_required_rows_cannot_be_removed(editor: ProfileEditor) -> None:
    page = joints(editor)
    page.table.view.selectAll()
    page.table.remove()
    assert len(editor.document.profile.axes) == 20
    assert "needs at least 1 entry" in page.table.message.text()


def test_cells_are_pasted_from_a_spreadsheet_as_one_step(editor: ProfileEditor) -> None:
    page = joints(editor)
    document = editor.document
    page.table.select_part(19, "joint")
    QGuiApplication.clipboard().setText("10\tpitch\t10\r\n11\tyaw\t11\r\n12\tyaw\t12\r\n")
    page.table.paste()
    assert [(axis.joint, axis.axis, axis.node) for axis in document.profile.axes[19:]] == [
        (10, "pitch", 10), (11, "yaw", 11), (12, "yaw", 12),
    ]  # fmt: skip
    assert document.undo_stack.count() == 1
    QGuiApplication.clipboard().setText("13\tyaw\n14\tsway\n")
    page.table.select_part(21, "joint")
    page.table.paste()
    assert "Axis must be one of yaw, pitch, roll." in page.table.message.text()
    assert len(document.profile.axes) == 22
    page.table.select_part(0, "joint")
    page.table.copy()
    assert QGuiApplication.clipboard().text() == "1"


def test_joints_are_generated(qtbot: QtBot) -> None:
    dialog = GenerateDialog()
    qtbot.addWidget(dialog)
    dialog.joints.setValue(3)
    dialog.numbering.setCurrentText("a node for each axis")
    assert [(a.joint, a.axis, a.node, a.slot) for a in dialog.axes] == [
        (1, "yaw", 1, 0), (1, "pitch", 2, 0), (2, "yaw", 3, 0), (2, "pitch", 4, 0), (3, "yaw", 5, 0),
        (3, "pitch", 6, 0),
    ]  # fmt: skip
    dialog.numbering.setCurrentText("a node for each joint")
    dialog.first_node.setValue(8)
    assert [(a.node, a.slot) for a in dialog.axes[:4]] == [(8, 0), (8, 1), (9, 0), (9, 1)]
    assert dialog.summary.text() == "6 axes of nodes 8 to 10"


def test_axes_are_taken_from_the_scene_as_one_step(qtbot: QtBot, path: Path) -> None:
    scene = with_values(
        Scene(), {"robot.n_links": 13, "robot.joints": "alternating", "robot.name": "Modules"}
    )
    scenes = [scene]
    document = ProfileDocument(path)
    editor = show_widget(qtbot, ProfileEditor(document, None, None, lambda: scenes[-1]))
    page = joints(editor)
    page.from_scene.click()
    rows = [(axis.name, axis.node, axis.slot) for axis in document.profile.axes]
    assert rows[:2] == [("joint 1 yaw", 1, 0), ("joint 2 pitch", 2, 0)]
    assert len(rows) == 12
    assert document.undo_stack.count() == 1
    scenes.append(with_values(Scene(), {"model.kind": "continuum_beam"}))
    page.from_scene.click()
    assert "continuous body" in page.table.message.text()
    assert len(document.profile.axes) == 12


# -------------------------------------------------------------------------------------------- pages


def test_formula_shows_its_ids(editor: ProfileEditor) -> None:
    page = messages(editor)
    page.table.select_part(0)
    assert page.ids.text().startswith("node 1: 0x201 · node 2: 0x202")
    editor.document.set_values({"messages[1].id": "node << 4 | 3"}, "Change id")
    assert page.ids.text().startswith("node 1: 0x13 · node 2: 0x23")
    editor.document.set_values({"messages[1].id": "0x200 + nod"}, "Change id")
    assert "nod" in page.refusal.text()
    assert page.ids.text() == ""


def test_bits_of_signals_are_drawn(editor: ProfileEditor) -> None:
    page = messages(editor)
    page.table.select_part(0)  # JointSetPoint: four consecutive 16-bit numbers
    middle = page.grid._GUTTER + 4.5 * page.grid._CELL
    row = page.grid._row
    named = [
        [signal.name for signal in page.grid.signals_at(middle, page.grid._HEAD + (b + 0.5) * row)]
        for b in range(9)
    ]
    names = ("YawTarget", "PitchTarget", "YawRateTarget", "PitchRateTarget")
    assert named == [[name] for name in names for _ in range(2)] + [[]]


def test_sequence_shows_its_bytes(editor: ProfileEditor) -> None:
    page = editor.pages["Sequences"]
    assert isinstance(page, SequencesPage)
    editor.nav.setCurrentRow(list(editor.pages).index("Sequences"))
    lines = page.bytes.toPlainText().splitlines()
    # JointCommand is one byte at 0x100 + node, and 1 arms: see lab_robot.dbc.
    assert lines[0].split()[:3] == ["1", "101", "01"]
    assert len(lines) == 11
    assert "wait" in lines[-1]
    page.tables["arm"].select_part(0)
    page.tables["arm"].remove()
    (line,) = page.bytes.toPlainText().splitlines()
    assert line.split()[:2] == ["1", "wait"]
    assert line.endswith("1 s")


def test_problems_follow_edits_and_lead_to_cells(editor: ProfileEditor, qtbot: QtBot) -> None:
    document = editor.document
    assert editor.checks.summary.text() == "No errors"
    document.set_values({"messages[1].signals[2].signal": "PitchTargt"}, "Break it")
    qtbot.waitUntil(lambda: bool(editor.checks.problem_list.entries))
    (finding,) = [f for f in editor.checks.problem_list.entries if "PitchTargt" in f.text]
    assert "Did you mean" in finding.text
    editor.reveal(finding.problem)
    assert editor.stack.currentWidget() is messages(editor)
    assert messages(editor).signal_table.view.currentIndex().row() == 1
    document.undo_stack.undo()
    document.set_parts("sequences.stop", (), "No stop")
    qtbot.waitUntil(lambda: "Arming is refused" in editor.checks.arming.text())
    document.set_values({"timing.set_point_rate_hz": 1000.0}, "Too fast")
    qtbot.waitUntil(lambda: editor.checks.meter.load > 1.0)


PAGES_OF_KEYS = {
    "axes[3].node": "Joints",
    "axes": "Joints",
    "messages[2].id": "Messages",
    "status[1].code": "Status and Errors",
    "sequences.stop[1].send": "Sequences",
    "sequences.stop": "Sequences",
    "timing.lost_s": "Overview",
    "dbc": "Overview",
    "plugins.allowed": "Overview",
    "on_loss.bus": "On Loss",
    "emulation.boot_s": "Emulation",
    "status": "Status and Errors",
}


def test_every_key_has_a_page(editor: ProfileEditor) -> None:
    for key, title in PAGES_OF_KEYS.items():
        editor.nav.setCurrentRow(list(editor.pages).index("DBC"))
        editor.reveal(Problem("error", key, "", ""))
        assert editor.nav.currentItem().text() == title, key


# -------------------------------------------------------------------------------------------- files


def test_saving_keeps_comments_and_a_backup(editor: ProfileEditor, path: Path) -> None:
    before = path.read_text(encoding="utf-8")
    editor.document.set_values({"limits.max_deg": 45.0}, "Change limit")
    assert editor.save()
    after = path.read_text(encoding="utf-8")
    changed = [
        (a, b) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b
    ]
    assert changed == [("max_deg = 60.0", "max_deg = 45.0")]
    assert path.with_name("lab_robot.toml~").read_text(encoding="utf-8") == before
    assert not editor.document.dirty
    assert load_profile(path).profile.limits.max_deg == 45.0


def test_allowed_plugins_are_typed_and_saved(editor: ProfileEditor, path: Path) -> None:
    page = editor.pages["Overview"]
    assert isinstance(page, FormPage)
    field = page.forms["plugins"].rows["allowed"].field
    assert isinstance(field, QLineEdit)
    type_into(field, " my_gait, wag ,my_gait")
    assert field.text() == "my_gait, wag"
    assert editor.save()
    assert load_profile(path).profile.plugins.allowed == ("my_gait", "wag")
    editor.document.set_values({"limits.max_deg": 45.0}, "Change limit")
    assert editor.save()
    assert load_profile(path).profile.plugins.allowed == ("my_gait", "wag")


def test_reset_restores_the_opened_value(editor: ProfileEditor) -> None:
    page = editor.pages["Overview"]
    assert isinstance(page, FormPage)
    limits = page.forms["limits"]
    editor.document.set_values({"limits.max_deg": 45.0}, "Change limit")
    limits.rows["max_deg"].reset()
    assert editor.document.value("limits.max_deg") == 60.0
    assert limits.rows["max_deg"].field.text() == "60"
    editor.document.undo_stack.undo()
    assert limits.rows["max_deg"].field.text() == "45"


def test_save_as_copies_the_dbc(editor: ProfileEditor, path: Path) -> None:
    editor.document.save(path.with_name("other.toml"))
    assert load_profile(path.with_name("other.toml")).profile.dbc == "other.dbc"
    assert "# Every joint's node has two slots" in path.with_name("other.toml").read_text(
        encoding="utf-8"
    )
    assert editor.path_label.text() == "other.toml"


def test_bundled_profiles_are_never_changed(qtbot: QtBot) -> None:
    template = resource("profiles", "lab_robot.toml")
    before = template.read_bytes()
    editor = show_widget(qtbot, ProfileEditor(ProfileDocument(template)))
    editor.document.set_values({"name": "Mine"}, "Rename")
    with pytest.raises(ProfileError, match="the program"):
        editor.document.save()
    editor.document.undo_stack.undo()
    assert editor.begin_from(template)
    assert editor.begin_from(template), "a second copy gets another folder"
    assert not editor.document.shipped
    editor.document.set_values({"name": "Mine"}, "Rename")
    assert editor.save()
    assert load_profile(editor.document.path).profile.name == "Mine"
    assert template.read_bytes() == before
    assert all(path not in shipped() for path in own())


def test_unwritable_file_keeps_the_edits(
    editor: ProfileEditor, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = path.parent / "missing" / "x.toml"
    monkeypatch.setattr("snakestudio.gui.profile.editor.ask_save", lambda *_, **__: nowhere)
    editor.document.set_values({"name": "Mine"}, "Rename")
    assert not editor.ask_save_as()
    assert "cannot be written" in editor.message.text()
    assert editor.document.dirty


def test_closing_asks_about_unsaved_changes(
    qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = ProfileEditor(ProfileDocument(path))
    editor.show()
    qtbot.waitExposed(editor)
    requests: list[str] = []
    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Save]

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        requests.append(box.text())
        return answers.pop(0)

    monkeypatch.setattr(QMessageBox, "exec", answer)
    editor.document.set_values({"name": "Mine"}, "Rename")
    assert not editor.close()
    assert len(requests) == 1
    assert "lab_robot.toml" in requests[0]
    assert editor.close()
    assert load_profile(path).profile.name == "Mine"


def test_main_window_asks_about_unsaved_profile(
    qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PySide6.QtWidgets import QWidget

    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    editor = ProfileEditor(ProfileDocument(path), None, window)
    editor.document.set_values({"name": "Mine"}, "Rename")
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Cancel)
    assert not window.close()
    editor.document.undo_stack.setClean()
    assert window.close()


def test_unreadable_profile_keeps_the_open_one(
    editor: ProfileEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, text: messages.append(text))
    broken = tmp_path / "broken.toml"
    broken.write_text("format = 1\nnaem = 3\n", encoding="utf-8")
    assert not editor.open_file(broken)
    assert "Did you mean name" in messages[0]
    assert editor.document.profile.name == "Lab robot"


# ------------------------------------------------------------------------------------- with a robot


@pytest.fixture
def robot(path: Path) -> FakeRobot:
    """A robot connected with this profile; all nodes report 10 degrees, except the first, which reports 30."""
    robot = FakeRobot(load_profile(path))
    assert robot.link is not None
    robot.link.state = LinkState.LISTENING
    robot.link.held = np.radians([30.0] + [10.0] * 19)
    robot.look()
    return robot


@pytest.fixture
def live(qtbot: QtBot, path: Path, robot: FakeRobot) -> ProfileEditor:
    return show_widget(qtbot, ProfileEditor(ProfileDocument(path), robot))


def test_measured_values_use_sign_and_offset(live: ProfileEditor) -> None:
    """A node that reports 30 with sign -1 and offset 5: -1 * (30 - 5) = -25 degrees."""
    page = joints(live)
    measured = page.model.index(0, len(page.model.columns))
    assert measured.data() == "+30.0"
    live.document.set_values({"axes[1].sign": -1, "axes[1].offset_deg": 5.0}, "Turn it")
    assert measured.data() == "\N{MINUS SIGN}25.0"
    page.table.select_part(0)
    page.flip.click()
    assert measured.data() == "+25.0"
    page.offset.click()
    assert live.document.profile.axes[0].offset_deg == pytest.approx(30.0)
    assert measured.data() in ("+0.0", "\N{MINUS SIGN}0.0")
    live.document.set_values({"axes[1].gear": 2.0}, "Gear")
    assert (
        measured.data() == "\N{MINUS SIGN}15.0"
    )  # 30 degrees of the node are 15 of the joint, minus 30


def test_node_without_status_has_no_offset(live: ProfileEditor) -> None:
    page = joints(live)
    live.document.set_values({"axes[1].node": 77}, "Another node")
    page.table.select_part(0)
    page.offset.click()
    assert "joint 1 yaw" in page.table.message.text()
    assert page.model.index(0, len(page.model.columns)).data() == "–"


def test_armed_robot_locks_the_profile(live: ProfileEditor, robot: FakeRobot) -> None:
    page = joints(live)
    robot.become(LinkState.ARMED)
    assert "Disarm" in live.message.text()
    assert not page.model.flags(page.model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable
    assert not page.table.buttons["add"].isEnabled()
    assert not live.apply.isEnabled()
    with pytest.raises(ProfileError, match="armed"):
        live.document.set_values({"name": "Mine"}, "Rename")
    robot.become(LinkState.IDLE)
    live.document.set_values({"name": "Mine"}, "Rename")
    assert live.document.profile.name == "Mine"


def test_moving_robot_prevents_slow_windows(qtbot: QtBot, tmp_path: Path, robot: FakeRobot) -> None:
    editor = show_widget(
        qtbot,
        ProfileEditor(ProfileDocument(new_profile("odrive_can_simple", tmp_path / "other")), robot),
    )
    requests: list[bool] = []
    editor.learn_requested.connect(lambda: requests.append(True))
    for state in (LinkState.ARMED, LinkState.STREAMING):
        robot.become(state)
        assert editor.document.locked == "", "it is another robot's profile"
        editor.learn.click()
        assert requests == []
        assert "Disarm" in editor.learn.toolTip()
    robot.become(LinkState.IDLE)
    editor.learn.click()
    assert requests == [True]
    assert "unknown bus" in editor.learn.toolTip()


def test_applying_saves_and_asks_to_connect_again(
    live: ProfileEditor, path: Path, qtbot: QtBot
) -> None:
    live.document.set_values({"name": "Mine"}, "Rename")
    with qtbot.waitSignal(live.applied):
        live.apply.click()
    assert load_profile(path).profile.name == "Mine"


def test_other_robot_does_not_lock_the_profile(editor: ProfileEditor) -> None:
    assert not editor.apply.isVisible()
    assert editor.document.locked == ""


def test_dbc_message_is_created_changed_and_removed(qtbot: QtBot, editor: ProfileEditor) -> None:
    document = editor.document
    page = editor.pages["DBC"]
    assert isinstance(page, DbcPage)
    before = document.dbc
    page.search.setText("JointSet")
    dialog = page.add_message()
    proposed = int(dialog.id.text(), 0)
    assert proposed not in {bound.id for bound in resolve(document.loaded).bound}
    assert dialog.message.text() == ""
    dialog.id.setText("0x201")
    assert dialog.message.text().startswith("0x201 ")
    assert "JointSetPoint" in dialog.message.text()
    assert dialog.apply_button.isEnabled()
    dialog.name.setText("Lamp")
    dialog.add_signal()
    dialog.table.item(0, 0).setText("Colour")  # type: ignore[union-attr]
    dialog.table.item(0, 9).setText("0 Red, 1 Green")  # type: ignore[union-attr]
    dialog.id.setText("0x8000")
    assert "0x8000" in dialog.message.text()
    assert "0x7FF" in dialog.message.text()
    assert not dialog.apply_button.isEnabled()
    dialog.id.setText("0x123")
    dialog.apply_button.click()
    lamp = document.loaded.database.get_message_by_name("Lamp")
    assert (lamp.frame_id, lamp.encode({"Colour": "Green"})[0]) == (0x123, 1)
    item = page.tree.currentItem()
    assert item is not None
    assert item.text(0) == "Lamp"
    assert not item.isHidden()
    again = page.edit_message()
    assert again is not None
    assert again.message.text() == "", "a message does not conflict with itself"
    again.reject()
    again = page.edit_message()
    assert again is not None
    again.form.widget_of("length").setValue(2)
    again.apply_button.click()
    assert document.loaded.database.get_message_by_name("Lamp").length == 2
    page.tree.setCurrentItem(page.tree.findItems("Lamp", Qt.MatchFlag.MatchExactly)[0])
    page.drop.click()
    assert "Lamp" not in document.dbc
    bound = document.profile.messages[0].message
    page.tree.setCurrentItem(page.tree.findItems(bound, Qt.MatchFlag.MatchExactly)[0])
    assert not page.drop.isEnabled(), "a message that the profile uses cannot be removed"
    for _ in range(3):
        document.undo_stack.undo()
    assert document.dbc == before


def test_impossible_bits_and_dbc_keywords_are_refused(
    editor: ProfileEditor,
) -> None:
    page = editor.pages["DBC"]
    assert isinstance(page, DbcPage)
    dialog = page.add_message()
    dialog.add_signal()
    bits = dialog.table.item(0, 2)
    name = dialog.table.item(0, 0)
    assert bits is not None
    assert name is not None
    for text in ("9" * 400, str(10**9), str(-(10**9))):
        bits.setText(text)
        assert dialog.message.text().startswith("Signal1: ")
        assert "512 bits" in dialog.message.text()
        assert not dialog.apply_button.isEnabled()
        dialog.add_signal()  # the dialog searches for free bits after them
        dialog.table.removeRow(1)
    bits.setText("8")
    name.setText("SG_")
    assert dialog.message.text().startswith("SG_ ")
    assert not dialog.apply_button.isEnabled()
    name.setText("Colour")
    assert dialog.message.text() == ""
    dialog.apply_button.click()
    assert " SG_ Colour " in editor.document.dbc


def test_branches_of_an_edited_message_do_not_clash(editor: ProfileEditor) -> None:
    document = editor.document
    page = editor.pages["DBC"]
    assert isinstance(page, DbcPage)
    branches = "\n".join(
        f' SG_ {name} : {bits} (1,0) [0|0] "" Vector__XXX'
        for name, bits in (("Mode M", "0|8@1+"), ("Speed m0", "8|8@1+"), ("Heat m1", "8|8@1+"))
    )
    document.edit(
        document.profile,
        "Add",
        dbc=document.dbc.replace("\nBO_ ", f"\nBO_ 800 Told: 8 A\n{branches}\n\nBO_ ", 1),
    )
    page.tree.setCurrentItem(page.tree.findItems("Told", Qt.MatchFlag.MatchExactly)[0])
    dialog = page.edit_message()
    assert dialog is not None
    layout = dialog.grid.message_layout
    assert layout is not None
    assert {signal.name: signal.branch for signal in layout.signals} == {
        "Mode": (),
        "Speed": (0,),
        "Heat": (1,),
    }
