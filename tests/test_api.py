"""`import snakestudio as ss`: the calls that users' scripts rely on."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.api.running import prepare
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.paths import scenes_dir

MAIN = scenes_dir() / "obstacle_aided.toml"


def test_simulate_gives_columns_by_name() -> None:
    run = ss.simulate(str(MAIN), duration=0.5, rate=20, **{"gait.amplitude_deg": 30})
    assert isinstance(run, ss.Run)
    assert isinstance(run.scene, ss.Scene)
    assert run.scene.gait.amplitude_deg == 30
    np.testing.assert_allclose(run["time_s"], np.arange(11) / 20, atol=1e-12)
    assert run["link_6_x_m"].shape == (11,)
    assert set(run) == set(run.columns)
    assert len(run) == len(run.columns)
    assert "no_such_column" not in run
    with pytest.raises(KeyError, match="no_such_column"):
        run["no_such_column"]


def test_values_are_a_mapping_or_keywords() -> None:
    values = {"gait.amplitude_deg": 30, "ground.mu_along": 0.3}
    run = ss.simulate(MAIN, 0.01, values=values)
    assert (run.scene.gait.amplitude_deg, run.scene.ground.mu_along) == (30, 0.3)
    run = ss.simulate(MAIN, 0.01, values=values, **{"ground.mu_along": 0.4})
    assert (run.scene.gait.amplitude_deg, run.scene.ground.mu_along) == (30, 0.4)
    with pytest.raises(ss.UsageError, match="values"):
        ss.simulate(MAIN, 0.01, values=[("gait.amplitude_deg", 30)])  # type: ignore[arg-type]


def test_run_has_derived_signals() -> None:
    run = ss.simulate(MAIN, duration=0.5)
    other = ss.simulate(MAIN, duration=0.5, rate=50)
    speed = np.sqrt(sum(run[f"link_6_v{axis}_mps"] ** 2 for axis in "xyz"))
    np.testing.assert_allclose(run.signal("norm(link_6_v?_mps)"), speed, rtol=1e-14)
    slopes = np.gradient(run["com_x_m"], run["time_s"], edge_order=2)
    np.testing.assert_allclose(run.signal("derivative(com_x_m)"), slopes, atol=1e-12)
    np.testing.assert_allclose(run.signal("com_x_m - other.com_x_m", other)[::2], 0, atol=1e-15)
    with pytest.raises(ss.SnakeStudioError, match="Did you mean com_x_m"):
        run.signal("derivative(com_xm)")


def test_run_exports_its_columns(tmp_path: Path) -> None:
    run = ss.simulate(MAIN, duration=0.1)
    run.to_csv(tmp_path / "run.csv")
    lines = [
        line for line in (tmp_path / "run.csv").read_text().splitlines() if not line.startswith("#")
    ]
    read = np.genfromtxt(lines, delimiter=",", names=True)
    np.testing.assert_array_equal(read["link_6_x_m"], run["link_6_x_m"])


def test_run_file_equals_the_run_and_can_be_rerun(tmp_path: Path) -> None:
    run = ss.simulate(MAIN, duration=0.1)
    run.to_mcap(tmp_path / "run.mcap")
    loaded = ss.load_run(tmp_path / "run.mcap")
    again = ss.simulate(tmp_path / "run.mcap")
    assert loaded.scene == again.scene == run.scene
    assert loaded.scene_file == MAIN.name
    for name in run:
        np.testing.assert_array_equal(loaded[name], run[name], name)
        np.testing.assert_array_equal(again[name], run[name], name)
    loaded.to_mcap(tmp_path / "copy.mcap")
    np.testing.assert_array_equal(ss.load_run(tmp_path / "copy.mcap")["com_x_m"], run["com_x_m"])


def test_scenes_load_save_and_check(tmp_path: Path) -> None:
    scene = ss.load_scene(MAIN)
    ss.save_scene(scene, tmp_path / "copy.toml")
    assert ss.load_scene(tmp_path / "copy.toml") == scene
    assert [p for p in ss.check(scene) if p.severity == "error"] == []
    (tmp_path / "bad.toml").write_text("format = 1\n[robot]\nmass_kg = -1\n")
    assert [p.key for p in ss.check(tmp_path / "bad.toml")] == ["robot.mass_kg"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: ss.load_run(MAIN),
        lambda: ss.simulate("no/such/file.toml"),
        lambda: ss.simulate(MAIN, duration=-1),
        lambda: ss.simulate(MAIN, duration=float("nan")),
        lambda: ss.simulate(MAIN, rate=0),
        lambda: ss.simulate(MAIN, **{"gait.amplitude_deg": -183}),
        lambda: ss.simulate(MAIN, **{"robot.joint_limit_deg": 10}),
    ],
)
def test_invalid_values_raise_snakestudio_errors(call: object) -> None:
    with pytest.raises(ss.SnakeStudioError):
        call()  # type: ignore[operator]


def test_importing_snakestudio_loads_nothing_heavy() -> None:
    code = (
        "import sys, snakestudio; "
        "print(sorted({'numpy', 'numba', 'PySide6', 'OpenGL', 'pydantic'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_numpy_numbers_are_accepted() -> None:
    values = {"gait.amplitude_deg": np.int64(30), "robot.n_links": np.int32(8), "title": "numpy"}
    run = ss.simulate(MAIN, duration=np.int64(1), rate=np.float32(20), **values)
    assert run.scene.run.duration_s == 1.0
    assert (run.scene.robot.n_links, run.scene.gait.amplitude_deg) == (8, 30)
    assert type(run.scene.robot.n_links) is int
    field = HeightField(
        x_m=np.int64(1), y_m=np.float32(0.5), hidden=np.bool_(True), heights_m=np.zeros((2, 3))
    )  # type: ignore[arg-type]
    assert field == HeightField(
        x_m=1.0, y_m=0.5, hidden=True, heights_m=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    )
    assert type(field.x_m) is float
    assert type(Robot(n_links=np.int16(5)).n_links) is int  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="valid integer"):
        Robot(n_links=np.float64(5.5))  # type: ignore[arg-type]
    for wrong in (np.bool_(True), np.float64("nan"), np.int64(0), "1", 1j):
        with pytest.raises(ss.SnakeStudioError, match=r"positive.*number"):
            ss.simulate(MAIN, duration=wrong)  # type: ignore[arg-type]


def test_closed_run_raises_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    ss.simulate(MAIN, duration=0.1).to_mcap(path)
    run = ss.load_run(path)
    run.close()
    for read in (
        lambda: run["link_6_x_m"],
        lambda: run.to_csv(tmp_path / "run.csv"),
        lambda: pickle.dumps(run),
    ):
        with pytest.raises(
            ss.SnakeStudioError, match=r"run\.mcap: the run was closed.*Open it again"
        ):
            read()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["run.mcap"]


@pytest.mark.parametrize("opened", [False, True])
def test_run_can_be_pickled(tmp_path: Path, opened: bool) -> None:
    run = ss.simulate(MAIN, duration=0.3)
    if opened:
        run.to_mcap(tmp_path / "run.mcap")
        run = ss.load_run(tmp_path / "run.mcap")
    copy = pickle.loads(pickle.dumps(run))
    if opened:
        run.close()
        run = ss.simulate(MAIN, duration=0.3)
    assert copy.scene == run.scene
    assert (copy.scene_file, copy.failure) == (MAIN.name, "")
    for name in run:
        np.testing.assert_array_equal(copy[name], run[name], name)
    copy.close()


def test_pickled_run_refers_to_its_file(tmp_path: Path) -> None:
    run = ss.simulate(MAIN, duration=0.4)
    run.to_mcap(tmp_path / "run.mcap")
    further, notes = ss.continue_from(run, 0.2, 0.5, record=str(tmp_path / "further.mcap"))
    assert notes == ()
    by_file, _ = ss.continue_from(tmp_path / "run.mcap", 0.2, 0.5)
    unfiled = ss.simulate(MAIN, duration=0.5)
    for name in ("time_s", "link_6_x_m"):
        np.testing.assert_array_equal(further[name], by_file[name])
        np.testing.assert_array_equal(further[name], unfiled[name])
    assert further.scene_file == MAIN.name
    assert len(ss.load_run(tmp_path / "further.mcap")["time_s"]) == len(further["time_s"])
    run["time_s"]  # the run is not closed
    with pytest.raises(ss.SnakeStudioError, match="is the run to continue"):
        ss.continue_from(ss.load_run(tmp_path / "run.mcap"), 0.2, 0.5, record=tmp_path / "run.mcap")
    again = ss.simulate(run)
    np.testing.assert_array_equal(again["link_6_x_m"], run["link_6_x_m"])
    assert again.scene_file == MAIN.name
    assert ss.check(run) == ss.check(tmp_path / "run.mcap") == ss.check(run.scene)


WRONG_KINDS = {
    "load_scene": lambda run, wrong: ss.load_scene(wrong),
    "save_scene, what": lambda run, wrong: ss.save_scene(wrong, "scene.toml"),
    "save_scene, where": lambda run, wrong: ss.save_scene(run.scene, wrong),
    "load_run": lambda run, wrong: ss.load_run(wrong),
    "load_experiment": lambda run, wrong: ss.load_experiment(wrong),
    "load_experiment, layout": lambda run, wrong: ss.load_experiment("measured.csv", wrong),
    "simulate, duration": lambda run, wrong: ss.simulate(MAIN, duration=wrong),
    "simulate, rate": lambda run, wrong: ss.simulate(MAIN, rate=wrong),
    "compare_models, kind": lambda run, wrong: ss.compare_models(MAIN, wrong),
    "compare_chain, links": lambda run, wrong: ss.compare_chain(
        scenes_dir() / "continuum_undulation.toml", wrong
    ),
    "compare_chain, at": lambda run, wrong: ss.compare_chain(
        scenes_dir() / "continuum_undulation.toml", 8, at=wrong
    ),
    "compare_experiment, experiment": lambda run, wrong: ss.compare_experiment(run, wrong),
    "compare_experiment, experiments": lambda run, wrong: ss.compare_experiment(run, [wrong]),
    "continue_from, time": lambda run, wrong: ss.continue_from(run, wrong),
    "continue_from, duration": lambda run, wrong: ss.continue_from(run, 0.1, wrong),
    "continue_from, values": lambda run, wrong: ss.continue_from(run, 0.1, values=wrong),
    "continue_from, record": lambda run, wrong: ss.continue_from(run, 0.1, 0.2, record=wrong),
    "continue_from, problem": lambda run, wrong: ss.continue_from(run, 0.1, 0.2, problem=wrong),
    "fit, experiment": lambda run, wrong: ss.fit(MAIN, wrong, {"ground.mu_along": (0.1, 0.2)}),
    "fit, free": lambda run, wrong: ss.fit(MAIN, "measured.csv", wrong),
    "fit, range": lambda run, wrong: ss.fit(MAIN, "measured.csv", {"ground.mu_along": wrong}),
    "fit, offset_s": lambda run, wrong: ss.fit(
        MAIN, "measured.csv", {"ground.mu_along": (0.1, 0.2)}, offset_s=wrong
    ),
    "signal": lambda run, wrong: run.signal(wrong),
    "signal, other": lambda run, wrong: run.signal("com_x_m - other.com_x_m", wrong),
    "to_csv": lambda run, wrong: run.to_csv(wrong),
    "to_hdf5": lambda run, wrong: run.to_hdf5(wrong),
    "to_mcap": lambda run, wrong: run.to_mcap(wrong),
    "to_video": lambda run, wrong: run.to_video(wrong),
}
WRONG_SCENES = {
    "simulate": lambda wrong: ss.simulate(wrong),
    "check": lambda wrong: ss.check(wrong),
    "compare_models": lambda wrong: ss.compare_models(wrong),
    "compare_chain": lambda wrong: ss.compare_chain(wrong),
    "continue_from": lambda wrong: ss.continue_from(wrong, 0.1),
    "compare_experiment": lambda wrong: ss.compare_experiment(wrong, "measured.csv"),
    "fit": lambda wrong: ss.fit(wrong, "measured.csv", {"ground.mu_along": (0.1, 0.2)}),
}
NONE_IS_LEFT_OUT = {
    "load_experiment, layout",
    "simulate, duration",
    "simulate, rate",
    "continue_from, duration",
    "continue_from, values",
    "continue_from, record",
    "continue_from, problem",
    "fit, offset_s",
    "signal, other",
}

# A mapping for which `in` is false for every key.
RUNS_ARE_TAKEN = {"signal, other", "continue_from, values"}


@pytest.fixture(scope="module")
def short_run() -> ss.Run:
    return ss.simulate(MAIN, duration=0.1)


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_argument_of_wrong_type_is_named(short_run: ss.Run, name: str) -> None:
    for wrong in (short_run, object(), b"run.mcap", None):
        if (wrong is None and name in NONE_IS_LEFT_OUT) or (
            wrong is short_run and name in RUNS_ARE_TAKEN
        ):
            continue
        with pytest.raises(ss.SnakeStudioError) as caught:
            WRONG_KINDS[name](short_run, wrong)
        assert str(caught.value).count("\n") == 0
        assert str(caught.value).endswith(".")


@pytest.mark.parametrize("name", WRONG_SCENES)
def test_invalid_scene_or_run_is_named(name: str) -> None:
    for wrong in (3.5, object(), b"scene.toml", None, {}):
        with pytest.raises(
            ss.SnakeStudioError, match=r"^(scene|run) must be .*, not (None|an? \w+)\.$"
        ):
            WRONG_SCENES[name](wrong)


def test_values_of_removed_links_are_reported() -> None:
    scene = scene_from_dict(
        {"format": 1, "robot": {"n_links": 12, "link": [{"index": 12, "mass_kg": 2.0}]}}
    )
    with pytest.warns(UserWarning, match="8 links"):
        fewer, _, _ = prepare(scene, values={"robot.n_links": 8})
    assert fewer.robot.link == ()
