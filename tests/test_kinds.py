"""A kind is one file: toys from files outside the package are found wherever kinds are, and nothing else is touched."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays
from snakestudio.errors import SceneError
from snakestudio.export.csv import write_csv
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.plot_types import VIEWS, default_views
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.viewport.legend import control_state
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.scene_file.parse import parse_scene
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check
from snakestudio.viewmodel.plots.catalogue import catalogue
from tests.gui.fake import FakeBridge

TOYS = Path(__file__).parent / "toys"
QUICK = {"model.kind": "planar_lagrangian", "robot.n_links": 4, "run.duration_s": 2.0}


def run(scene: Scene, change: dict[str, float]) -> RunRecording:
    """Two seconds, with a change that is taken over after one."""
    runner = Runner(scene)
    runner.advance(scene.n_steps // 2)
    assert runner.apply(with_values(scene, change)) == []
    runner.advance(scene.n_steps - runner.engine.step_count)
    return runner.recording


def assert_goes_on_from_a_state(recording: RunRecording, change: dict[str, float]) -> None:
    """A run that is taken up from a state in its file is the same to the bit."""
    continuation = continue_run(recording, 0.5)
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == ()
    runner = continuation.runner
    runner.advance(runner.scene.n_steps // 2 - runner.engine.step_count)
    assert runner.apply(with_values(runner.scene, change)) == []
    runner.advance(runner.scene.n_steps - runner.engine.step_count)
    again = runner.recording
    assert len(again) == len(recording)
    for name in ("link_pose", "joint_angle_ref", "extra"):
        one, other = (getattr(each.rows(0, len(each)), name) for each in (recording, again))
        assert one.tobytes() == other.tobytes(), name


def csv_columns(recording: Recording, path: Path) -> dict[str, np.ndarray]:
    write_csv(path, recording)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names, *rows = csv.reader(lines)
    return dict(zip(names, np.array(rows, float).T, strict=True))


# ------------------------------------------------------------------------------------------------------ a controller


@pytest.fixture
def nodding() -> Iterator[Scene]:
    CONTROLLERS.add_file(TOYS / "nodding.py")
    yield with_values(Scene(), {**QUICK, "controller.kind": "nodding"})
    CONTROLLERS.remove("nodding")


def test_a_controller_is_a_kind_like_the_others_in_files_edits_and_check(nodding: Scene) -> None:
    assert next(iter(CONTROLLERS)) == "none"
    assert list(CONTROLLERS)[-1] == "nodding", "it asks for no place"
    text = dump_scene(with_values(nodding, {"controller.nod_deg": 0.0}))
    assert 'kind = "nodding"' in text
    scene = parse_scene(text)
    assert [p.sentence() for p in check(scene) if p.key == "controller.nod_deg"] == [
        "controller.nod_deg: nobody sees a nod of 0°; give more."
    ]
    with pytest.raises(SceneError, match=r"controller\.nod_deg: 91\.0 must be at most 90 °"):
        with_values(nodding, {"controller.nod_deg": 91.0})
    with pytest.raises(SceneError, match="did you mean nod_deg"):
        parse_scene('format = 1\n[controller]\nkind = "nodding"\nnod_dog = 3.0\n')
    with pytest.raises(SceneError, match=r"give one of 'none', .*'nodding'"):
        parse_scene('format = 1\n[controller]\nkind = "noding"\n')
    idle = with_values(nodding, {"controller.restless": False, "controller.gain_per_m": 1.0})
    assert "has no effect here (only where restless)" in "".join(p.message for p in check(idle))
    assert with_values(with_values(nodding, {"controller.kind": "heading"}), {"controller.kind": "nodding"}) == nodding


def test_a_controller_is_recorded_exported_and_taken_up_from_a_state(nodding: Scene, tmp_path: Path) -> None:
    change = {"controller.nod_deg": 30.0}
    recording = run(nodding, change)
    assert recording.schema.extra[-2:] == ("nod_rad", "nod_count")
    columns = csv_columns(recording, tmp_path / "run.csv")
    assert np.abs(columns["nod_rad"]).max() == pytest.approx(np.radians(30.0), rel=0.05)
    np.testing.assert_array_equal(columns["nod_rad"][1:], columns["joint_1_yaw_ref_rad"][1:])
    assert_goes_on_from_a_state(recording, change)
    nods = [event.text for event in recording.events if event.text.startswith("Nod")]
    assert nods[:1] == ["Nod 1"]
    assert len(nods) == columns["nod_count"].max()


def test_a_controller_is_among_plots_and_marked_and_told_of_in_the_view(nodding: Scene) -> None:
    runner = Runner(nodding)
    schema: Schema = runner.recording.schema
    assert default_views(nodding)[0] == "nod"
    assert "nod" in list(VIEWS)
    assert VIEWS["nod"].suits(schema)
    assert [(line.name, line.unit, line.axis) for line in VIEWS["nod"].lines(schema, 0)] == [
        ("nod", "°", 0), ("nods", "", 1)
    ]  # fmt: skip
    assert {"nod_rad", "nod_deg", "nod_count"} <= set(catalogue(schema))
    runner.advance(40)
    shot = runner.latest
    assert [text for _, text in control_state(shot)] == ["0 nods"]
    drawn = build(nodding, shot, Overlays(), Camera())
    assert len(drawn.marks["sphere"]) == 1
    assert CONTROLLERS["nodding"].remedies[Fields.POSE] == "sit still."


@pytest.mark.gui
def test_a_controller_has_a_panel_with_sliders_and_undo(nodding: Scene, qtbot: QtBot) -> None:
    document = Document()
    before = document.scene
    panels = ParameterPanels(document, FakeBridge())  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    panel = panels.controller
    panel.box.setCurrentIndex(panel.box.findText("Nodding"))
    panel.box.activated.emit(panel.box.currentIndex())
    assert document.scene.controller == nodding.controller
    assert list(panel.rows) == ["controller.nod_deg", "controller.gain_per_m"]
    assert list(panel.choices) == ["controller.restless"]
    row = panel.rows["controller.nod_deg"]
    assert row.slider is not None
    document.set_value("controller.nod_deg", 40.0, "Nod")
    assert row.field.value == 40.0
    assert panel.about.text() == "The head nods. It nods deeply."
    document.set_value("controller.restless", False, "Rest")
    assert panel.rows["controller.gain_per_m"].unused == "only where restless"
    for _ in range(3):
        document.undo_stack.undo()
    assert document.scene == before
    assert not panel.rows


# ------------------------------------------------------------------------------------------------------------ a gait


@pytest.fixture
def clapping() -> Iterator[Scene]:
    GAIT_KINDS.add_file(TOYS / "clapping.py")
    yield with_values(Scene(), {**QUICK, "gait.kind": "clapping"})
    GAIT_KINDS.remove("clapping")


def test_a_gait_is_a_kind_like_the_others_in_files_edits_and_check(clapping: Scene) -> None:
    assert list(GAIT_KINDS)[-1] == "clapping"
    scene = parse_scene(dump_scene(with_values(clapping, {"gait.clap_deg": 0.0, "gait.clap_deg_s": 90.0})))
    assert {p.sentence() for p in check(scene) if p.key.startswith("gait")} == {
        "gait.clap_deg: nobody hears a clap of 0°; give more.",
        "gait.clap_deg_s: 90 has no effect here (only with a clap); make it 120.",
    }
    pitched = with_values(clapping, {"gait.pitch_deg": 1.0})
    assert "1 is left out by this model" in {p.message for p in check(pitched) if p.key == "gait.pitch_deg"}
    steered = with_values(clapping, {"controller.kind": "heading"})
    assert not [p for p in check(steered) if p.severity == "error"]
    driven = with_values(clapping, {"controller.kind": "teleoperation"})
    assert [p.key for p in check(driven) if p.severity == "error"] == ["controller.kind"]
    with pytest.raises(SceneError, match=r"give one of 'lateral_undulation', .*'clapping'"):
        parse_scene('format = 1\n[gait]\nkind = "claping"\n')


@pytest.mark.parametrize("controller", ["none", "heading"])
def test_a_gait_is_recorded_exported_plotted_and_taken_up_from_a_state(
    clapping: Scene, tmp_path: Path, controller: str
) -> None:
    change = {"gait.clap_deg": 10.0, "gait.clap_deg_s": 200.0}
    recording = run(with_values(clapping, {"controller.kind": controller}), change)
    columns = csv_columns(recording, tmp_path / "run.csv")
    if controller == "none":
        first = columns["time_s"] < 0.99
        expected = np.radians(20.0) * np.sin(np.radians(120.0) * columns["time_s"]) ** 3
        np.testing.assert_allclose(columns["joint_2_yaw_ref_rad"][first], expected[first], atol=1e-12)
        assert np.abs(columns["joint_2_yaw_ref_rad"][~first]).max() < np.radians(20.0)
        assert VIEWS["joint"].possible(recording.schema)
        assert {"joint_2_yaw_ref_rad"} <= set(catalogue(recording.schema))
    assert_goes_on_from_a_state(recording, change)


def test_another_kind_of_gait_waits_for_a_reset(clapping: Scene) -> None:
    runner = Runner(clapping)
    assert runner.apply(with_values(clapping, {"gait.kind": "lateral_undulation"})) == ["gait"]


@pytest.mark.gui
def test_a_gait_has_a_panel_with_sliders_and_undo(clapping: Scene, qtbot: QtBot) -> None:
    document = Document()
    before = document.scene
    panels = ParameterPanels(document, FakeBridge())  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    panel = panels.gait
    panel.presets.setCurrentIndex(panel.presets.findText("Clapping"))
    panel.presets.activated.emit(panel.presets.currentIndex())
    assert document.scene.gait == clapping.gait
    assert list(panel.rows) == ["gait.clap_deg", "gait.clap_deg_s", "gait.pitch_deg"]
    row = panel.rows["gait.clap_deg"]
    assert row.slider is not None
    document.set_value("gait.clap_deg", 0.0, "Clap")
    assert row.field.value == 0.0
    assert panel.rows["gait.clap_deg_s"].unused == "only with a clap"
    for _ in range(2):
        document.undo_stack.undo()
    assert document.scene == before
