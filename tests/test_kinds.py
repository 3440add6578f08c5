"""Kinds from files outside the package are available like built-in ones, without changes to other files."""

from __future__ import annotations

import csv
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from snakestudio.analysis.signals.filters import MovingMean
from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.nodes import Node, PointwiseFunction
from snakestudio.analysis.signals.reductions import REDUCTIONS, Reduction, compile_reduction
from snakestudio.analysis.signals.signal import compile_signal
from snakestudio.api import open_batch
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.picking import pick
from snakestudio.errors import SceneError, SignalError
from snakestudio.export.csv import write_csv
from snakestudio.export.plan import write_plan
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.derived_dialog import DerivedDialog
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.viewport.legend import control_state
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.column_units import raised
from snakestudio.model.columns import column_names
from snakestudio.model.edits import transform, tree, with_values
from snakestudio.model.edits.presets import PRESETS, preset_obstacles
from snakestudio.model.labels import obstacle_title
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import SHAPES
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.scene_diff import difference_in_words
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.scene_file.parse import parse_scene
from snakestudio.model.snapshot import GROUND, Fields
from snakestudio.plugins.loading import load, unload
from snakestudio.runfile.mcap import open_run
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.engine_compiler import is_prepared
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check
from snakestudio.viewmodel.plots.channels import catalogue
from snakestudio.viewmodel.plots.plot_types import VIEWS, default_views
from tests.gui.fake import FakeSessionController
from tests.wording import naming

TOYS = Path(__file__).parent / "toys"
QUICK = {"model.kind": "planar_lagrangian", "robot.n_links": 4, "run.duration_s": 2.0}


def run(scene: Scene, change: dict[str, float]) -> RunRecording:
    """Run for two seconds, with a change that is applied after one."""
    runner = Runner(scene)
    runner.advance(scene.n_steps // 2)
    assert runner.apply(with_values(scene, change)) == []
    runner.advance(scene.n_steps - runner.engine.step_count)
    return runner.recording


def assert_continues_from_a_state(recording: RunRecording, change: dict[str, float]) -> None:
    """A run that continues from a state in its file is bit-identical."""
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
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    names, *rows = csv.reader(lines)
    return dict(zip(names, np.array(rows, float).T, strict=True))


# ------------------------------------------------------------------------------------- a controller


@pytest.fixture
def nodding() -> Iterator[Scene]:
    load(TOYS / "nodding.py")
    yield with_values(Scene(), {**QUICK, "controller.kind": "nodding"})
    unload("nodding")


def test_controller_is_a_kind_in_files_edits_and_check(nodding: Scene) -> None:
    assert next(iter(CONTROLLERS)) == "none"
    assert list(CONTROLLERS)[-1] == "nodding", "it declares no place"
    text = dump_scene(with_values(nodding, {"controller.nod_deg": 0.0}))
    assert 'kind = "nodding"' in text
    scene = parse_scene(text)
    assert [p.sentence() for p in check(scene) if p.key == "controller.nod_deg"] == [
        "controller.nod_deg: Nobody sees a nod of 0°. Give more."
    ]
    with pytest.raises(SceneError, match=r"controller\.nod_deg.*90 °"):
        with_values(nodding, {"controller.nod_deg": 91.0})
    with pytest.raises(SceneError, match="Did you mean nod_deg"):
        parse_scene('format = 1\n[controller]\nkind = "nodding"\nnod_dog = 3.0\n')
    with pytest.raises(SceneError, match=r'[Gg]ive "none", .*"nodding"'):
        parse_scene('format = 1\n[controller]\nkind = "noding"\n')
    idle = with_values(nodding, {"controller.restless": False, "controller.gain_per_m": 1.0})
    assert "has no effect here (only where restless)" in "".join(p.message for p in check(idle))
    assert (
        with_values(
            with_values(nodding, {"controller.kind": "heading"}), {"controller.kind": "nodding"}
        )
        == nodding
    )


def test_controller_is_recorded_exported_and_continued(nodding: Scene, tmp_path: Path) -> None:
    change = {"controller.nod_deg": 30.0}
    recording = run(nodding, change)
    assert recording.schema.extra[-2:] == ("nod_rad", "nod_count")
    columns = csv_columns(recording, tmp_path / "run.csv")
    assert np.abs(columns["nod_rad"]).max() == pytest.approx(np.radians(30.0), rel=0.05)
    np.testing.assert_array_equal(columns["nod_rad"][1:], columns["joint_1_yaw_ref_rad"][1:])
    assert_continues_from_a_state(recording, change)
    nods = [event.text for event in recording.events if event.text.startswith("Nod")]
    assert nods[:1] == ["Nod 1"]
    assert len(nods) == columns["nod_count"].max()


def test_controller_is_in_plots_and_in_the_view(nodding: Scene) -> None:
    runner = Runner(nodding)
    schema: Schema = runner.recording.schema
    assert default_views(nodding)[0] == "nod"
    assert "nod" in list(VIEWS)
    assert VIEWS["nod"].suits(schema)
    assert [(line.name, line.unit, line.axis) for line in VIEWS["nod"].lines(schema, 0)] == [
        ("nod", "°", 0),
        ("nods", "", 1),
    ]
    assert {"nod_rad", "nod_deg", "nod_count"} <= set(catalogue(schema))
    runner.advance(40)
    shot = runner.latest
    assert [text for _, text in control_state(shot)] == ["0 nods"]
    drawn = build(nodding, shot, Overlays(), Camera())
    assert len(drawn.marks["sphere"]) == 1
    assert CONTROLLERS["nodding"].remedies[Fields.POSE] == "sit still."


@pytest.mark.gui
def test_controller_has_a_panel_with_sliders_and_undo(nodding: Scene, qtbot: QtBot) -> None:
    document = Document()
    before = document.scene
    panels = ParameterPanels(document, FakeSessionController())  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    panel = panels.controller
    panel.box.setCurrentIndex(panel.box.findText("Nodding"))
    panel.box.activated.emit(panel.box.currentIndex())
    assert document.scene.controller == nodding.controller
    names = ("nod_deg", "restless", "gain_per_m")
    assert set(panel.rows) == {f"controller.{name}" for name in names}
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


# ------------------------------------------------------------------------------------------- a gait


@pytest.fixture
def clapping() -> Iterator[Scene]:
    load(TOYS / "clapping.py")
    yield with_values(Scene(), {**QUICK, "gait.kind": "clapping"})
    unload("clapping")


def test_gait_is_a_kind_in_files_edits_and_check(clapping: Scene) -> None:
    assert list(GAIT_KINDS)[-1] == "clapping"
    scene = parse_scene(
        dump_scene(with_values(clapping, {"gait.clap_deg": 0.0, "gait.clap_deg_s": 90.0}))
    )
    assert {p.sentence() for p in check(scene) if p.key.startswith("gait")} == {
        "gait.clap_deg: Nobody hears a clap of 0°. Give more.",
        "gait.clap_deg_s: 90 has no effect here (only with a clap). Remove it.",
    }
    pitched = with_values(clapping, {"gait.pitch_deg": 1.0})
    assert naming("1") in [p.message for p in check(pitched) if p.key == "gait.pitch_deg"]
    steered = with_values(clapping, {"controller.kind": "heading"})
    assert not [p for p in check(steered) if p.severity == "error"]
    driven = with_values(clapping, {"controller.kind": "teleoperation"})
    assert [p.key for p in check(driven) if p.severity == "error"] == ["controller.kind"]
    with pytest.raises(SceneError, match=r'[Gg]ive "lateral_undulation", .*"clapping"'):
        parse_scene('format = 1\n[gait]\nkind = "claping"\n')


@pytest.mark.parametrize("controller", ["none", "heading"])
def test_gait_is_recorded_exported_plotted_and_continued(
    clapping: Scene, tmp_path: Path, controller: str
) -> None:
    change = {"gait.clap_deg": 10.0, "gait.clap_deg_s": 200.0}
    recording = run(with_values(clapping, {"controller.kind": controller}), change)
    columns = csv_columns(recording, tmp_path / "run.csv")
    if controller == "none":
        first = columns["time_s"] < 0.99
        expected = np.radians(20.0) * np.sin(np.radians(120.0) * columns["time_s"]) ** 3
        np.testing.assert_allclose(
            columns["joint_2_yaw_ref_rad"][first], expected[first], atol=1e-12
        )
        assert np.abs(columns["joint_2_yaw_ref_rad"][~first]).max() < np.radians(20.0)
        assert VIEWS["joint"].possible(recording.schema)
        assert {"joint_2_yaw_ref_rad"} <= set(catalogue(recording.schema))
    assert_continues_from_a_state(recording, change)


def test_change_of_gait_kind_needs_a_reset(clapping: Scene) -> None:
    runner = Runner(clapping)
    assert runner.apply(with_values(clapping, {"gait.kind": "lateral_undulation"})) == ["gait"]


@pytest.mark.gui
def test_gait_has_a_panel_with_sliders_and_undo(clapping: Scene, qtbot: QtBot) -> None:
    document = Document()
    before = document.scene
    panels = ParameterPanels(document, FakeSessionController())  # type: ignore[arg-type]
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


# ------------------------------------------------------------------------------------------ a shape


@pytest.fixture
def fence() -> Iterator[Scene]:
    """Return a scene of a robot that lies across a slope above a fence."""
    load(TOYS / "fence.py")
    yield with_values(
        Scene(),
        {
            "robot.n_links": 4,
            "run.duration_s": 1.0,
            "controller.kind": "none",
            "gait.amplitude_deg": 0.0,
            "ground.slope_deg": 40.0,
            "start": {"kind": "straight", "x_m": 0.0, "y_m": 0.0, "heading_deg": 90.0},
            "obstacles": [{"kind": "fence", "x_m": 0.3, "y_m": 0.0, "yaw_deg": 90.0}],
        },
    )
    unload("fence")


def test_shape_is_a_kind_in_files_edits_and_check(fence: Scene) -> None:
    assert list(SHAPES)[-1] == "fence"
    text = dump_scene(fence)
    assert 'kind = "fence"' in text
    assert parse_scene(text) == fence
    assert (
        parse_scene(dump_scene(with_values(fence, {"obstacles[1].length_m": 2.0}), text)).obstacles
        != fence.obstacles
    )
    for wrong, sentence in (
        ({"obstacles[1].strength_m": -1.0}, "greater.*0 m"),
        ({"obstacles[1].lenth_m": 1.0}, "Did you mean length_m"),
        ({"obstacles[1].kind": "hedge"}, 'Give "cylinder", .*"fence"'),
    ):
        with pytest.raises(SceneError, match=sentence):
            with_values(fence, wrong)
    flat = with_values(fence, {"obstacles[1].height_m": 0.005, "obstacles[1].friction": 0.1})
    assert [p.sentence() for p in check(flat) if p.key == "obstacles[1].friction"] == [
        naming("obstacles[1].friction: 0.1", "0")
    ]
    beneath = with_values(
        fence, {"start": {"kind": "straight", "x_m": 0.3, "y_m": 0.3, "heading_deg": 0.0}}
    )
    for model in ("planar_nonsmooth", "spatial_nonsmooth"):
        problems = [
            p for p in check(with_values(beneath, {"model.kind": model})) if p.severity == "error"
        ]
        assert ["deep inside obstacle 1" in p.message for p in problems] == [True], (
            "one problem for all of its solids"
        )
    assert difference_in_words(fence, with_values(fence, {"obstacles": ()})) == [
        "Fence at (0.3, 0) removed"
    ]
    assert obstacle_title(fence.obstacles[0], 0) == "Fence 1"


def test_only_importers_name_shapes_of_others() -> None:
    package = TOYS.parent.parent / "snakestudio"
    named = re.compile(r"obstacles\.shapes\.\w+ import")
    naming = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if named.search(path.read_text())
    }
    readers = {"model/obstacles/importing.py", "robot_files/obstacles.py"}
    assert naming == readers, "use the declaration of the shape (model/obstacles/shape.py) instead"


def test_shape_is_moved_turned_scaled_and_added(fence: Scene) -> None:
    turned = transform.turn(fence, [0], "z", math.pi / 2, (0.3, 0.0, 0.0))
    assert tree(turned.obstacles[0])["yaw_deg"] == 180.0
    scaled = tree(transform.scale(fence, [0], (2.0, 3.0, 0.5), (0.0, 0.0, 0.0)).obstacles[0])
    assert (scaled["x_m"], scaled["length_m"], scaled["strength_m"], scaled["height_m"]) == (
        0.6,
        2.0,
        0.15,
        0.1,
    )
    with pytest.raises(SceneError, match="Fence 1 cannot be raised"):
        transform.move(fence, [0], (0.0, 0.0, 0.1))
    with pytest.raises(SceneError, match="Fence 1 cannot be tilted"):
        transform.turn(fence, [0], "x", 0.1, (0.0, 0.0, 0.0))
    assert list(PRESETS)[-1] == "fence"
    like = preset_obstacles(fence, "fence", (2.0, 1.0))[0]
    assert tree(like) == {**tree(fence.obstacles[0]), "x_m": 2.0, "y_m": 1.0}
    fresh = tree(
        preset_obstacles(with_values(Scene(), {"robot.link_length_m": 0.061}), "fence", (2.0, 1.0))[
            0
        ]
    )
    assert (fresh["length_m"], fresh["strength_m"]) == (0.5, 0.025), "sized for the robot"
    boxes = plan_boxes(fence.obstacles)
    np.testing.assert_allclose(
        [*boxes.low[0], *boxes.high[0]], [0.25, -0.55, 0.35, 0.55], atol=1e-12
    )


def test_shape_is_drawn_from_its_solids_picked_and_planned(fence: Scene, tmp_path: Path) -> None:
    runner = Runner(with_values(fence, {"model.kind": "planar_lagrangian", "obstacles": ()}))
    camera = Camera(target=(0.3, 0.0, 0.0)).standard("top")
    drawn = build(fence, runner.latest, Overlays(), camera)
    assert drawn.world.posts.owner.tolist() == [0, 0]
    assert len(drawn.world.blocks.owner) == 1
    assert pick(drawn, camera, (0.0, 0.0), 1.5) == Pick("obstacle", 0)
    world = obstacles_of(fence.obstacles)
    moved = obstacles_of((fence.obstacles[0].model_copy(update={"x_m": 1.3}),))
    np.testing.assert_allclose(
        [world.low[0], world.high[0]], [(0.25, -0.55, 0.0), (0.35, 0.55, 0.2)], atol=1e-12
    )
    np.testing.assert_allclose(moved.low - world.low, [(1.0, 0.0, 0.0)], atol=1e-12)
    figure = write_plan(tmp_path / "plan.svg", fence).read_text(encoding="utf-8")
    assert re.findall(r'id="(obstacle-[^"]*)"', figure) == [
        "obstacle-1-1",
        "obstacle-1-2",
        "obstacle-1-3",
    ]


@pytest.mark.parametrize("model", ["planar_nonsmooth", "planar_nonholonomic", "spatial_nonsmooth"])
def test_robot_stops_at_a_shape_in_every_formulation(
    fence: Scene, tmp_path: Path, model: str
) -> None:
    far = Cylinder(x_m=-3.0, y_m=0.0)
    scene = with_values(fence, {"model.kind": model}).model_copy(
        update={"obstacles": (far, *fence.obstacles)}
    )
    assert [p for p in check(scene) if p.severity == "error"] == []
    path = tmp_path / "run.mcap"
    run_offline(scene, path=path).recording.close()
    with open_run(path) as recording:
        assert recording.scene == scene
        last = recording.snapshot(len(recording) - 1)
    assert last.link_pose[:, 0].max() == pytest.approx(
        0.3 - 0.0125 - fence.robot.radius_m, abs=0.004
    )
    assert set(last.contacts.other[last.contacts.other != GROUND]) == {1}, (
        "of the rail, its third solid"
    )
    free = run_offline(scene.model_copy(update={"obstacles": ()})).recording
    assert free.snapshot(len(free) - 1).link_pose[:, 0].max() > 0.5


# --------------------------------------------------------------------------------------- of signals


def _sharpened(x: Node, fraction: float) -> Node:
    return PointwiseFunction(
        lambda values, smooth: values + fraction * (values - smooth),
        (x, MovingMean(x, 0.5)),
        x.unit,
    )


@pytest.fixture
def own_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    sharpen = Function(
        "sharpen(x, share)",
        "Adds what a moving mean takes away",
        _sharpened,
        1,
        ("share",),
        frozenset(("share",)),
        around=("Sharpen, 50 %", "sharpen({}, 0.5)"),
    )
    power = Function(
        "power(x)",
        "Mean square",
        lambda x: Reduction(x, lambda t, v: float(np.mean(v * v)), raised(x.unit, 2.0)),
    )
    monkeypatch.setitem(FUNCTIONS, "sharpen", sharpen)
    monkeypatch.setitem(REDUCTIONS, "power", power)


@pytest.mark.usefixtures("own_functions")
def test_filter_and_reduction_are_one_function_each() -> None:
    recording = run(with_values(Scene(), QUICK), {"gait.amplitude_deg": 30.0})
    names = column_names(recording.schema)
    sharp = compile_signal("sharpen(com_x_m, 2)", names)
    plain, smooth = (
        compile_signal(text, names).values(recording)
        for text in ("com_x_m", "moving_mean(com_x_m, 0.5)")
    )
    assert sharp.unit == "m"
    np.testing.assert_allclose(sharp.values(recording), 3.0 * plain - 2.0 * smooth, atol=1e-15)
    strength = compile_reduction("power(sharpen(com_x_m, 2))", names)
    assert (strength.value(recording), strength.unit) == (
        np.mean(sharp.values(recording) ** 2),
        "m2",
    )
    for text, sentence in (
        (
            "sharpen(com_x_m)",
            r"at character 1 has 1 argument instead of 2. Write sharpen\(x, share\)",
        ),
        ("sharpen(com_x_m, -1)", "at character 18 is share in sharpen.*greater than 0"),
        ("sharpe(com_x_m, 1)", "Did you mean sharpen"),
    ):
        with pytest.raises(SignalError, match=sentence):
            compile_signal(text, names)
    with pytest.raises(SignalError, match="Did you mean power"):
        compile_reduction("powr(com_x_m)", names)


@pytest.mark.gui
@pytest.mark.usefixtures("own_functions")
def test_filter_is_offered_in_signal_editors(qtbot: QtBot) -> None:
    recording = run(with_values(Scene(), QUICK), {"gait.amplitude_deg": 30.0})
    dialog = DerivedDialog(FakeSessionController(recording), ChannelLibrary(None))  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    qtbot.keyClicks(dialog.name_field, "sharp_m")
    qtbot.keyClicks(dialog.field, "sharp")
    qtbot.waitUntil(
        lambda: any(
            each.property("role") == "completion" and each.isVisible()
            for each in QApplication.topLevelWidgets()
        )
    )
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.field.text() == "sharpen("
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "com_x_m")
    menu = dialog.findChild(QToolButton, "apply_function").menu()  # type: ignore[union-attr]
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Sharpen, 50 %").trigger()
    assert dialog.field.text() == "sharpen(com_x_m, 0.5)"
    qtbot.waitUntil(lambda: dialog.sentence.text() == "Unit: m.")


# ------------------------------------------------------------------------------------ a formulation


@pytest.fixture
def creeping() -> Iterator[Scene]:
    load(TOYS / "creeping.py")
    yield with_values(
        Scene(), {**QUICK, "model.kind": "creeping", "robot.n_links": 8, "solver.step_s": 0.001}
    )
    unload("creeping")


def test_formulation_has_all_declarations() -> None:
    for name, declared in FORMULATIONS.items():
        assert declared.fields().kind == name
        for location in (
            declared.engine,
            declared.check,
            declared.schema,
            declared.largest_stable_step,
            *declared.states.values(),
            *declared.formerly.values(),
            *filter(None, [declared.from_format_1]),
        ):
            assert callable(declared.loaded(location))


def test_reading_formulations_loads_no_compiler() -> None:
    program = (
        "import sys; from snakestudio.kinds.formulation import FORMULATIONS; list(FORMULATIONS.values());"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_formulation_is_a_kind_in_files_edits_and_check(creeping: Scene) -> None:
    assert next(iter(FORMULATIONS)) == Scene().model.kind
    assert list(FORMULATIONS)[-1] == "creeping", "it declares no place"
    text = dump_scene(with_values(creeping, {"model.drag_ratio": 1.0}))
    assert 'kind = "creeping"' in text
    scene = parse_scene(text)
    assert [p.sentence() for p in check(scene) if p.key == "model.drag_ratio"] == [
        "model.drag_ratio: What slides alike all ways gets nowhere. Give more."
    ]
    with pytest.raises(SceneError, match=r"model\.drag_ratio.*1"):
        with_values(creeping, {"model.drag_ratio": 0.5})
    with pytest.raises(SceneError, match="Did you mean drag_ratio"):
        parse_scene('format = 1\n[model]\nkind = "creeping"\ndrag_rato = 3.0\n')
    with pytest.raises(SceneError, match=r'[Gg]ive "planar_nonsmooth", .*"creeping"'):
        parse_scene('format = 1\n[model]\nkind = "creping"\n')
    heavy = with_values(creeping, {"robot.mass_kg": 2.0})
    assert naming("2") in [p.message for p in check(heavy) if p.key == "robot.mass_kg"]
    other = with_values(creeping, {"model.kind": "planar_lagrangian"})
    assert with_values(other, {"model.kind": "creeping"}) == creeping
    assert is_prepared("creeping"), "nothing of it is compiled"


def test_formulation_is_recorded_exported_and_continued(creeping: Scene, tmp_path: Path) -> None:
    change = {"model.drag_ratio": 1.0}
    recording = run(creeping, change)
    columns = csv_columns(recording, tmp_path / "run.csv")
    x, y = (np.mean([columns[f"link_{k + 1}_{axis}_m"] for k in range(8)], axis=0) for axis in "xy")
    half = len(x) // 2
    assert np.hypot(x[half] - x[0], y[half] - y[0]) > 0.05, "it moves"
    # Isotropic resistance moves no centre of a body that changes its shape.
    assert np.hypot(x[half + 1 :] - x[-1], y[half + 1 :] - y[-1]).max() < 5e-4, (
        "except for the error of Euler's steps"
    )
    assert np.all(np.diff(columns["work_friction_j"]) <= 0.0)
    assert VIEWS["joint"].possible(recording.schema)
    assert not VIEWS["friction"].possible(recording.schema)
    assert {"work_friction_j", "joint_2_yaw_rad"} <= set(catalogue(recording.schema))
    assert_continues_from_a_state(recording, change)


def test_uncompiled_formulation_runs_in_a_batch(creeping: Scene) -> None:
    runner = Runner(creeping)
    runner.advance(7)
    with open_batch(creeping, 2) as batch:
        batch.step(n=7)
        np.testing.assert_array_equal(batch.state.link_pose[1], runner.latest.link_pose)
        batch.reset()
        batch.step(n=7)
        np.testing.assert_array_equal(batch.state.link_pose[0], runner.latest.link_pose)


def test_change_of_formulation_needs_a_reset(creeping: Scene) -> None:
    assert Runner(creeping).apply(with_values(creeping, {"model.kind": "planar_lagrangian"})) == [
        "model"
    ]


@pytest.mark.gui
def test_formulation_has_a_panel_with_sliders_and_undo(creeping: Scene, qtbot: QtBot) -> None:
    document = Document()
    document.edit(with_values(creeping, {"model.kind": "planar_lagrangian"}), "Another scene")
    before = document.scene
    panels = ParameterPanels(document, FakeSessionController())  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    assert not panels.model_values.rows
    panels.model.setCurrentIndex(panels.model.findText("Creeping"))
    panels.model.activated.emit(panels.model.currentIndex())
    assert document.scene == creeping
    assert list(panels.model_values.rows) == ["model.drag_ratio"]
    row = panels.rows["model.drag_ratio"]
    assert row.slider is not None
    document.set_value("model.drag_ratio", 4.0, "Drag")
    assert row.field.value == 4.0
    for _ in range(2):
        document.undo_stack.undo()
    assert document.scene == before
    assert not panels.model_values.rows
