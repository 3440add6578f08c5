"""`ss.Study`: studies created, run, read and rerun in Python, with real workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.api import studying
from snakestudio.cli import main
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.study.driver import Progress
from snakestudio.study.running import Workers
from snakestudio.study.study_file import load_study
from tests.study.processes import alive, descendants
from tests.study.test_driver import slow

VARY: dict[str, Any] = {"gait.amplitude_deg": (20, 40, 3), "ground.mu_across": [0.2, 0.8]}
GOALS = ["net_speed", "cost_of_transport"]


@pytest.fixture
def scene(study_file: Path) -> Path:
    """Half a second of the Lagrangian model."""
    return study_file.parent / "snake.toml"


def test_study_is_created_run_and_read(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = ss.Study(
        scene, VARY, GOALS, limits={"largest_torque": (None, 1e3)}, file=tmp_path / "own.study.toml"
    )
    assert repr(study) == "<Study own.study.toml: 6 points, 6 runs, not run yet>"
    assert "not run yet" in study._repr_html_()
    with pytest.raises(ss.SnakeStudioError, match="no results yet"):
        _ = study.table
    assert study.run(workers=1) is study
    table = study.table
    assert study.table is table, "read once"
    assert table["gait.amplitude_deg"].tolist() == [20.0, 20.0, 30.0, 30.0, 40.0, 40.0]
    best = study.best
    assert best is not None
    assert best["net_speed"] == table["net_speed"].max()
    assert type(best["net_speed"]) is float
    front = study.front
    assert set(front["row"]) <= set(range(6))
    assert np.array_equal(front["cost_of_transport"], table["cost_of_transport"][front["row"]])
    assert study.description.goals[1].aim == "minimise", "a cost is minimised"
    units = study.units
    assert (units["net_speed"], units["gait.amplitude_deg"], units["cost_of_transport"]) == (
        "m/s",
        "°",
        "1",
    )
    assert repr(study).startswith("<Study own.study.toml: 6 of 6 runs, best net_speed 0.")
    html = study._repr_html_()
    assert html.count("<tr>") == 1 + len(front["row"])
    assert "<th>net_speed<br>m/s</th>" in html
    assert "Net displacement" in str(study.check_step_size())
    with pytest.raises(ss.SnakeStudioError, match="row 9"):
        study.check_step_size(9)
    assert main(["study", "check-step", str(tmp_path / "own.study.toml"), "--row", "2"]) == 0
    assert "own.study.toml, row 2:" in capsys.readouterr().out


def test_run_is_repeated_bit_for_bit(scene: Path, cluster_workers: Workers, tmp_path: Path) -> None:
    jitter = {"ground.mu_along": 0.02}
    study = ss.Study(scene, VARY, repeats=2, jitter=jitter, file=tmp_path / "own.study.toml").run(
        scheduler=cluster_workers.scheduler
    )
    for row, repeat in ((0, 0), (5, 1)):
        changes = study.table.rows[row][repeat][0].changes
        run = study.simulate(row, repeat)
        alone = ss.simulate(scene, **changes)
        assert run["com_x_m"].tobytes() == alone["com_x_m"].tobytes()
        assert run.scene == alone.scene
    best = study.best
    assert best is not None
    assert (
        study.simulate(best)["com_x_m"].tobytes()
        == study.simulate(best["row"])["com_x_m"].tobytes()
    )
    for row, repeat, message in (
        (6, 0, "row 6: .*0 to 5"),
        (0, 2, "repeat 2: .*0 to 1"),
        ("a", 0, "whole number"),
    ):
        with pytest.raises(ss.SnakeStudioError, match=message):
            study.simulate(row, repeat)  # type: ignore[arg-type]


def test_changed_run_is_reported(
    scene: Path, cluster_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = ss.Study(scene, {"ground.mu_across": [0.2, 0.8]}).run(
        scheduler=cluster_workers.scheduler
    )
    monkeypatch.setattr(studying, "measured", lambda measures, recording: (1.0,))
    with pytest.warns(UserWarning, match="row 1"):
        study.simulate(1)


def test_known_runs_are_not_computed_again(
    scene: Path, cluster_workers: Workers, tmp_path: Path
) -> None:
    file = tmp_path / "own.study.toml"
    before = (
        ss.Study(scene, VARY, file=file).run(scheduler=cluster_workers.scheduler).table["net_speed"]
    )
    reports: list[Progress] = []
    wider = ss.Study(scene, VARY | {"ground.mu_across": [0.2, 0.5, 0.8]}, file=file).run(
        scheduler=cluster_workers.scheduler, progress=reports.append
    )
    assert (reports[-1].finished, reports[-1].known) == (9, 6)
    assert set(before) <= set(wider.table["net_speed"])
    opened = ss.Study(file)
    assert opened.table["net_speed"].tolist() == wider.table["net_speed"].tolist()
    file.write_text(file.read_text() + "# mine\n")
    ss.Study(scene, VARY, file=file, title="Friction")
    assert "# mine" in file.read_text()
    assert ss.Study(file).description.title == "Friction"


def test_scene_without_file_is_saved_next_to_the_study(
    scene: Path, cluster_workers: Workers, tmp_path: Path
) -> None:
    value = with_values(ss.load_scene(scene), {"gait.amplitude_deg": 25.0})
    folder = tmp_path / "there"
    folder.mkdir()
    study = ss.Study(value, {"ground.mu_across": [0.2, 0.8]}, file=folder / "own.study.toml").run(
        scheduler=cluster_workers.scheduler
    )
    assert ss.load_scene(folder / "own.scene.toml") == value
    assert load_study(study.path).scene == "own.scene.toml"
    assert study.simulate(0).scene.gait.amplitude_deg == 25.0
    other = ss.Study(scene, {"ground.mu_across": [0.2, 0.8]}, file=folder / "other.study.toml")
    assert load_study(other.path).scene == "../snake.toml"
    run = ss.simulate(scene)
    ss.Study(run, {"ground.mu_across": [0.2, 0.8]}, file=folder / "third.study.toml")
    assert ss.load_scene(folder / "third.scene.toml") == run.scene


def test_files_of_a_scene_stay_readable_after_a_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hills = (HeightField(x_m=5, y_m=5, picture="hills.png"),)
    value = ss.load_scene(Path(__file__).parents[2] / "scenes" / "stairs.toml").model_copy(
        update={"obstacles": hills}
    )
    value = with_values(value, {"ground.picture": {"file": "floor.png"}})
    (tmp_path / "there").mkdir()
    ss.Study(value, {"ground.mu_across": [0.2, 0.8]}, file="there/own.study.toml")
    moved = ss.load_scene("there/own.scene.toml")
    (obstacle,) = moved.obstacles
    assert isinstance(obstacle, HeightField)
    assert obstacle.picture == "../hills.png"
    assert moved.ground.picture.file == "../floor.png"


def test_study_without_file_ends_with_its_object(scene: Path) -> None:
    study = ss.Study(scene, {"ground.mu_across": [0.2, 0.8]})
    path = study.path
    assert path.exists()
    del study
    assert not path.exists()


def test_results_are_exported(scene: Path, cluster_workers: Workers, tmp_path: Path) -> None:
    import h5py
    from pyarrow import parquet

    study = ss.Study(scene, VARY, file=tmp_path / "own.study.toml").run(
        scheduler=cluster_workers.scheduler
    )
    text = study.export(tmp_path / "points.csv").read_text()
    assert sum(not line.startswith("#") for line in text.splitlines()) == 7
    table = parquet.read_table(study.export(tmp_path / "runs.parquet", runs=True))
    assert table["net_speed"].to_numpy().tolist() == study.table["net_speed"].tolist()
    with h5py.File(study.export(tmp_path / "all.h5")) as file:
        assert file["points/net_speed"][:].tolist() == study.table["net_speed"].tolist()
    study.export(tmp_path / "map.pdf", x="gait.amplitude_deg", y="net_speed")
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(ss.SnakeStudioError, match=r"points\.xlsx.*\.csv.*\.parquet"):
        study.export(tmp_path / "points.xlsx")


def test_pandas_gets_the_table_or_is_required(
    scene: Path, cluster_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = ss.Study(scene, {"ground.mu_across": [0.2, 0.8]}).run(
        scheduler=cluster_workers.scheduler
    )
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ss.SnakeStudioError, match="pip install pandas"):
        study.to_pandas()
    pandas = ModuleType("pandas")
    pandas.DataFrame = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert list(study.to_pandas()) == list(study.table)


def test_interrupted_study_resumes(scene: Path, cluster_workers: Workers, tmp_path: Path) -> None:
    study = ss.Study(
        scene, VARY | {"gait.amplitude_deg": (20, 40, 41)}, file=tmp_path / "own.study.toml"
    )

    def interrupted(progress: Progress) -> None:
        if progress.finished:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run(scheduler=cluster_workers.scheduler, progress=interrupted)
    finished = int(study.table["runs"].sum())
    assert 0 < finished < 82
    reports: list[Progress] = []

    def stopped(progress: Progress) -> bool:
        reports.append(progress)
        return progress.finished <= finished

    study.run(scheduler=cluster_workers.scheduler, progress=stopped)
    assert reports[0].known >= 0
    assert reports[-1].state in ("cancelled", "done")
    study.run(scheduler=cluster_workers.scheduler, progress=reports.append)
    assert (reports[-1].state, reports[-1].finished) == ("done", 82)
    assert reports[-1].known > finished


SCRIPT = """\
print("imported", flush=True)
import snakestudio as ss
study = ss.Study("snake.toml", {"ground.mu_across": [0.2, 0.8]}, file="own.study.toml")
study.run(workers=1, progress=lambda now: print("busy" if any(w.busy for w in now.workers) else "", flush=True))
print("best", study.best["row"], flush=True)
"""
"""As users write them: without a guard against being run again on import."""


def script(scene: Path) -> subprocess.Popen[str]:
    path = scene.parent / "script.py"
    path.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(path)],
        cwd=scene.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_script_is_not_run_again_by_its_workers(scene: Path) -> None:
    with script(scene) as process:
        out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.splitlines().count("imported") == 1
    assert out.splitlines()[-1].startswith("best ")
    assert err == ""


def test_interrupted_script_ends_its_workers(scene: Path) -> None:
    slow(scene.with_name("snake.study.toml"), 2000.0)
    with script(scene) as process:
        assert process.stdout is not None
        assert any("busy" in line for line in process.stdout)
        workers = descendants(process.pid)[1:]
        os.killpg(process.pid, signal.SIGINT)  # like a terminal
        _, err = process.communicate()
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert len(workers) == 1
    until = time.monotonic() + 60.0
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "vary|study"),
        ({"vary": {}}, "Nothing varies"),
        ({"vary": {"gait.nowhere": (1, 2, 3)}}, r"vary\[1\].*gait.nowhere"),
        ({"vary": {"gait.amplitude_deg": 10}}, "gait.amplitude_deg = 10 is not a range"),
        ({"vary": {"gait.amplitude_deg": (10,)}}, "gait.amplitude_deg.*is not a range"),
        ({"vary": {"gait.amplitude_deg": (10, 60)}}, r"vary\[1\]\.steps: .*number"),
        ({"vary": {"gait.amplitude_deg": (60, 10, 3)}}, "from 60 to 10"),
        ({"vary": {"gait.amplitude_deg": ("a", "b", 3)}}, "is not a range"),
        ({"vary": 7}, "vary must be"),
        (
            {"vary": VARY, "together": [("gait.amplitude_deg", "ground.mu_along")]},
            "ground.mu_along does not vary",
        ),
        ({"vary": VARY, "together": 3}, "together must be"),
        ({"vary": VARY, "goals": 3}, "goals must be"),
        ({"vary": VARY, "goals": {"net_speed": "sideways"}}, r"goals\[1\].aim"),
        ({"vary": VARY, "goals": ["net_speed", "net_speed"]}, "occurs twice"),
        ({"vary": VARY, "limits": {"net_speed": 3}}, "at_least, at_most"),
        ({"vary": VARY, "search": "magic"}, "search"),
        ({"vary": VARY, "search": "random", "points": -1}, "points"),
        ({"vary": VARY, "repeats": "many"}, "repeats"),
        ({"vary": VARY, "fixed": {"gait.amplitude_deg": 3}}, "fixed.*values"),
        ({"vary": VARY, "fixed": 3}, "fixed must be"),
        ({"vary": VARY, "jitter": {"ground.mu_along": 0.1}}, "only one repeat"),
        ({"vary": VARY, "file": 3}, "file must be"),
        ({"vary": VARY, "file": "snake.toml"}, "study.*study"),
    ],
)
def test_invalid_studies_are_reported(
    scene: Path, values: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(scene.parent)
    before = sorted(scene.parent.iterdir())
    with pytest.raises(ss.SnakeStudioError, match=message):
        ss.Study(scene, **values)
    assert sorted(scene.parent.iterdir()) == before


def test_invalid_calls_are_reported(scene: Path, study_file: Path) -> None:
    with pytest.raises(ss.SnakeStudioError, match="defines goals itself"):
        ss.Study(study_file, goals=["net_speed"])
    with pytest.raises(ss.SnakeStudioError, match="nowhere"):
        ss.Study(scene.with_name("nowhere.study.toml"))
    with pytest.raises(ss.SnakeStudioError, match="nowhere"):
        ss.Study(scene.with_name("nowhere.toml"), VARY)
    with pytest.raises(ss.SnakeStudioError, match="source must be"):
        ss.Study(3)  # type: ignore[arg-type]
    study = ss.Study(study_file)
    for call, message in (
        ({"workers": 0}, "workers 0.*1"),
        ({"workers": 1, "scheduler": "tcp://a:1"}, "exclude each other"),
        ({"scheduler": 3}, "scheduler must be"),
        ({"progress": 3}, "progress must be"),
    ):
        with pytest.raises(ss.SnakeStudioError, match=message):
            study.run(**call)  # type: ignore[arg-type]


def test_values_without_effect_are_reported(scene: Path, cluster_workers: Workers) -> None:
    with pytest.warns(UserWarning, match="has no effect"):
        ss.Study(scene, {"ground.mu_rolling": [0.1, 0.2]}).run(scheduler=cluster_workers.scheduler)


def test_ranges_lists_and_groups_are_read(scene: Path) -> None:
    study = ss.Study(
        scene,
        {
            "gait.amplitude_deg": (10, 60, 6),
            "gait.frequency_deg_s": np.linspace(50, 100, 6),
            "ground.mu_along+ground.mu_across": (0.1, 1.0, 3, "log"),
            "run.duration_s": {"values": [0.1, 0.2]},
        },
        {"max(com_z_m)": "minimize", "net_speed": {"over": "worst", "name": "speed"}},
        together=("gait.amplitude_deg", "gait.frequency_deg_s"),
        search={"kind": "grid", "seed": 7},
        repeats={"count": 2, "seed": 3},
        jitter={"ground.mu_along": (0.01, "uniform")},
        limits=[{"measure": "straightness", "at_least": 0.1}],
    )
    description = study.description
    assert description.n_points == 6 * 3 * 2
    assert description.vary[1].values == (50.0, 60.0, 70.0, 80.0, 90.0, 100.0)
    assert description.vary[0].together == description.vary[1].together != ""
    assert (description.vary[2].keys, description.vary[2].scale) == (
        ("ground.mu_along", "ground.mu_across"),
        "log",
    )
    assert [(goal.called, goal.aim) for goal in description.goals] == [
        ("max(com_z_m)", "minimise"),
        ("speed", "maximise"),
    ]
    assert description.repeats.jitter[0].law == "uniform"
    assert description.limits[0].at_least == 0.1
    assert description.search.seed == 7


def test_goals_take_the_direction_of_their_measure(scene: Path) -> None:
    goals = [
        {"measure": "cost_of_transport", "over": "worst"},
        "max(solver_unconverged)",
        "net_distance",
    ]
    described = ss.Study(scene, VARY, goals).description.goals
    assert [goal.aim for goal in described] == ["minimise", "minimise", "maximise"]
    (goal,) = ss.Study(scene, VARY, {"cost_of_transport": "maximize"}).description.goals
    assert "A cost is maximised" in goal.warning


@pytest.mark.parametrize(
    ("vary", "goals", "text"),
    [
        (VARY, ["speed"], "Did you mean net_speed?"),
        (VARY, ["max(com_x)"], "Did you mean com_x_m"),
        ({"gait.amp": (20, 40, 3)}, GOALS, "Did you mean gait.amplitude_deg?"),
        ({"gait.nothing": (20, 40, 3)}, GOALS, "gait.nothing"),
    ],
)
def test_misspelt_names_are_reported_before_a_study_runs(
    scene: Path, tmp_path: Path, vary: dict[str, Any], goals: list[str], text: str
) -> None:
    file = tmp_path / "own.study.toml"
    with pytest.raises(ss.SnakeStudioError) as error:
        ss.Study(scene, vary, goals, file=file)
    assert text in str(error.value)
    assert not file.exists()


def test_misspelt_measure_is_reported_when_opened(scene: Path, tmp_path: Path) -> None:
    study = ss.Study(scene, VARY, ["net_speed"], file=tmp_path / "own.study.toml")
    text = study.path.read_text("utf-8")
    study.path.write_text(text.replace('"net_speed"', '"nett_speed"'), encoding="utf-8")
    with pytest.raises(ss.SnakeStudioError, match="Did you mean net_speed"):
        ss.Study(study.path)
