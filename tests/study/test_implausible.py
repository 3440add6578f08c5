"""Runs that are not plausible: stored, marked in tables, and left out of best points, fronts and searches."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.paths import scenes_dir
from snakestudio.study.evaluate import Chunk, evaluate
from snakestudio.study.export import runs_of
from snakestudio.study.results import Table, score_of
from snakestudio.study.run_key import code_hash
from snakestudio.study.running import results_of
from snakestudio.study.store import RunOutcome, RunRequest, Store, store_path
from snakestudio.study.study_file import parse_study

HEAD = 'format = 2\nscene = "a.toml"\n[[vary]]\nkey = "ground.mu_along"\nlow = 0.0\nhigh = 1.0\nsteps = 3\n'
GOALS = '[[goals]]\nmeasure = "net_speed"\n[[goals]]\nmeasure = "cost_of_transport"\n'
INCLUDE = "[search]\ninclude_implausible = true\n"
GOOD = Plausibility((), ("joint_torque", "speed"))


def flung(torque: float = 500.0) -> Plausibility:
    violations = (
        Violation(
            "joint_torque", "joint torque", 0.9, torque, 50.0, "Joint 7 winds up.", "Limit it."
        ),
        Violation("speed", "speed", 1.4, 5.0, 2.0, "The robot flies.", "Watch it."),
    )
    return Plausibility(violations, ("joint_torque", "speed"))


def outcome(result: Plausibility | None, *measures: float, state: str = "done") -> RunOutcome:
    key = f"{measures}{result}"
    return RunOutcome(key, state, "", measures, plausibility=result)  # type: ignore[arg-type]


def table_of(text: str, *outcomes: RunOutcome | None) -> Table:
    study = parse_study(text)
    count = study.repeats.count
    requests = [
        RunRequest(k // count, k % count, str(k), {"ground.mu_along": 0.5 * (k // count)})
        for k in range(len(outcomes))
    ]
    return Table(study, list(zip(requests, outcomes, strict=True)))


def test_best_and_front_leave_out_implausible_points() -> None:
    outcomes = outcome(GOOD, 0.2, 3.0), outcome(flung(), 0.9, 1.0), outcome(GOOD, 0.1, 2.0)
    table = table_of(HEAD + GOALS, *outcomes)
    assert table["plausibility"].tolist() == ["plausible", "joint_torque speed", "plausible"]
    assert table.implausible.tolist() == [False, True, False]
    assert table.best == 0
    assert sorted(table.front.tolist()) == [0, 2]
    assert table.convergence.tolist() == [0.2, 0.2, 0.2]
    assert table["net_speed"].tolist() == [0.2, 0.9, 0.1]
    assert table.plausibility_note.startswith(
        "1 of 3 runs is not plausible: joint torque and speed."
    )


def test_implausible_points_can_be_included() -> None:
    outcomes = outcome(GOOD, 0.2, 3.0), outcome(flung(), 0.9, 1.0), outcome(GOOD, 0.1, 2.0)
    for table in (
        table_of(HEAD + GOALS + INCLUDE, *outcomes),
        table_of(HEAD + GOALS, *outcomes).including_implausible(True),
    ):
        assert table.best == 1
        assert table.front.tolist() == [1]
        assert table.implausible.tolist() == [False, True, False]
    assert table_of(HEAD + GOALS, *outcomes).including_implausible(False).best == 0


def test_one_implausible_repeat_makes_its_point_implausible() -> None:
    repeats = HEAD + "[repeats]\ncount = 2\n" + GOALS
    table = table_of(
        repeats,
        *(outcome(GOOD, 0.2, 3.0), outcome(flung(), 0.3, 3.0)),
        *(outcome(GOOD, 0.1, 3.0), outcome(None, 0.1, 3.0)),
        *(outcome(GOOD, 0.1, 3.0), None),
    )
    assert table["plausibility"].tolist() == ["joint_torque speed", "not checked", "plausible"]
    assert table.implausible.tolist() == [True, False, False]
    assert table.best == 1
    assert "1 of 5 runs" in table.plausibility_note
    assert "earlier version" in table.plausibility_note


def test_failed_runs_have_no_plausibility() -> None:
    table = table_of(HEAD + GOALS, outcome(None, np.nan, np.nan, state="failed"))
    assert table["plausibility"].tolist() == [""]
    assert table.plausibility_note == ""


def test_implausible_points_score_like_exceeded_limits() -> None:
    study = parse_study(HEAD + GOALS)
    far = score_of(study, [outcome(flung(500.0), 0.9, 1.0)])
    near = score_of(study, [outcome(flung(150.0), 0.9, 1.0)])
    good = score_of(study, [outcome(GOOD, 0.9, 1.0)])
    assert far.excess == pytest.approx(500.0 / 50.0 - 1.0)
    assert far.excess > near.excess > good.excess == 0.0
    assert far.goals == good.goals
    assert score_of(parse_study(HEAD + GOALS + INCLUDE), [outcome(flung(), 0.9, 1.0)]).excess == 0.0


def test_store_keeps_results_and_replaces_them(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with Store(path, writing=True) as store:
        store.add_requests([RunRequest(0, 0, "a", {}), RunRequest(1, 0, "b", {})])
        store.add_outcomes([RunOutcome("a", "done", "", (1.0,), plausibility=flung())])
        store.add_outcomes([RunOutcome("b", "done", "", (1.0,))])
    with Store(path) as store:
        (_, first), (_, second) = store.results()
        assert first is not None
        assert second is not None
        assert first.plausibility == flung()
        assert second.plausibility is None
        assert store.known(["a"])["a"].plausibility == flung()
    with Store(path, writing=True) as store:
        store.add_outcomes([RunOutcome("a", "done", "", (1.0,), plausibility=GOOD)])
        assert store.known(["a"], traces=True)["a"].plausibility == GOOD


def test_store_of_an_earlier_version_opens_unchecked(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with Store(path, writing=True) as store:
        store.add_requests([RunRequest(0, 0, "a", {})])
        store.add_outcomes([RunOutcome("a", "done", "", (1.0,))])
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE plausibility")
    db.close()
    with Store(path) as store:
        assert store.known(["a"])["a"].plausibility is None
        ((_, stored),) = store.results()
        assert stored is not None
        assert stored.plausibility is None
    with Store(path, writing=True) as store:
        store.add_outcomes([RunOutcome("a", "done", "", (1.0,), plausibility=GOOD)])
        assert store.known(["a"])["a"].plausibility == GOOD


def test_exported_runs_have_their_plausibility() -> None:
    table = table_of(
        HEAD + GOALS,
        outcome(flung(), 0.9, 1.0),
        outcome(None, 0.9, 1.0),
        outcome(None, np.nan, np.nan, state="failed"),
    )
    entries = runs_of(table)["plausibility"].tolist()
    assert entries == ["joint_torque speed", "not checked", ""]


def test_worker_checks_the_runs_that_it_computes() -> None:
    scene = (scenes_dir() / "obstacle_aided.toml").read_text()
    wedged: dict[str, Any] = {
        "gait.amplitude_deg": 90.0,
        "gait.frequency_deg_s": 40.0,
        "run.duration_s": 1.5,
    }
    runs = (("flung", wedged), ("limited", {**wedged, "actuator.max_torque_nm": 20.0}))
    outcomes = evaluate(Chunk("s", scene, {}, ("net_speed",), code_hash(), runs))
    results = [each.plausibility for each in outcomes]
    assert results[0] is not None
    assert results[0].names.startswith("joint_torque")
    assert results[1] is not None
    assert results[1].plausible


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> ss.Study:
    path = tmp_path_factory.mktemp("study") / "posts.study.toml"
    posts = ss.Study(
        "obstacle_aided",
        {"gait.amplitude_deg": [40.0, 90.0], "gait.frequency_deg_s": [40.0, 80.0]},
        ["net_speed"],
        fixed={"run.duration_s": 3.0},
        file=path,
    )
    return posts.run(workers=1)


def test_study_does_not_crown_a_flung_robot(study: ss.Study) -> None:
    best = study.best
    assert best is not None
    assert best["gait.amplitude_deg"] == 40.0
    assert best["plausibility"] == "plausible"
    speeds = study.table["net_speed"]
    assert speeds.argmax() != best["row"]
    assert study.table.implausible.tolist() == [False, False, True, True]
    assert "2 not plausible" in repr(study)
    included = study.table.including_implausible(True)
    assert included.best == speeds.argmax()


def test_command_line_reports_and_includes_them(
    study: ss.Study, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["study", "status", str(study.path)]) == 0
    text = capsys.readouterr().out
    assert "2 of 4 runs are not plausible: joint torque" in text
    for option, amplitude in ((), 40.0), (("--include-implausible",), 90.0):
        assert main(["study", "status", str(study.path), "--json", *option]) == 0
        status = json.loads(capsys.readouterr().out)
        assert status["implausible"] == 2
        assert status["best"][0]["values"]["gait.amplitude_deg"] == amplitude
    table = tmp_path / "table.csv"
    assert main(["study", "export", str(study.path), "--csv", str(table)]) == 0
    lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    entries = [row["plausibility"] for row in csv.DictReader(lines)]
    assert entries[:2] == ["plausible", "plausible"]
    assert all(entry.startswith("joint_torque") for entry in entries[2:])


def test_figure_hatches_them_and_scales_colours_without_them(
    study: ss.Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "map.svg"
    assert main(["study", "export", str(study.path), "--figure", str(figure)]) == 0
    assert "2 points not plausible" in capsys.readouterr().out
    assert figure.read_text().count("url(#h") == 2  # cells filled with a pattern of hatches
    included = tmp_path / "included.svg"
    options = ("--include-implausible", "--figure", str(included))
    assert main(["study", "export", str(study.path), *options]) == 0
    assert "not plausible" not in capsys.readouterr().out
    assert included.read_text().count("url(#h") == 0


def test_results_without_plausible_points_have_no_best(study: ss.Study) -> None:
    table = results_of(study.path)
    rows = [row for row, doubtful in zip(table.rows, table.implausible, strict=True) if doubtful]
    only = Table(table.study, [run for row in rows for run in row])
    assert only.best is None
    assert only.ranked.tolist() == []
    assert store_path(study.path).is_file()
