"""Figures of studies: they show the results with names and units of the values; invalid requests are refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.errors import StudyError
from snakestudio.export.figures.figure import printed
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.study.figure import ComparedStudy, Drawing, write_figure
from snakestudio.study.figure_content import FigureColumns, chosen, labelled
from snakestudio.study.results import Table
from snakestudio.study.running import Workers, run_study
from snakestudio.study.store import RunOutcome, RunRequest
from snakestudio.study.study_file import parse_study
from tests.study.conftest import SCENES

AMPLITUDE = '[[vary]]\nkey = "gait.amplitude_deg"\nlow = 10.0\nhigh = 30.0\nsteps = 3\n'
SHIFT = '[[vary]]\nkey = "gait.phase_shift_deg"\nvalues = [-20.0, -50.0]\n'
FREQUENCY = '[[vary]]\nkey = "gait.frequency_deg_s"\nlow = 40.0\nhigh = 80.0\nsteps = 2\n'
SPEED = '[[goals]]\nmeasure = "net_speed"\n'
COST = '[[goals]]\nname = "cost"\nmeasure = "cost_of_transport"\naim = "minimise"\n'
UNITS = {"net_speed": "mps", "cost": ""}


@pytest.fixture(scope="module")
def scene() -> Scene:
    return load_scene(SCENES / "sidewinding.toml")


def table_of(text: str, measure: Callable[[dict[str, Any], int], tuple[float, ...]]) -> Table:
    """Finished results of a grid from `measure`, a function of values and repeat; NaN is a failed run."""
    study = parse_study(f'format = 1\nscene = "a.toml"\n{text}')
    lists = [
        vary.values or np.linspace(vary.low or 0.0, vary.high or 0.0, vary.count or 1).tolist()
        for vary in study.vary
    ]
    results = []
    for point, values in enumerate(itertools.product(*lists)):
        changes = dict(zip((vary.all_keys[0] for vary in study.vary), values, strict=True))
        for repeat in range(study.repeats.count):
            scores = measure(changes, repeat)
            state: Any = "failed" if math.isnan(scores[0]) else "done"
            results.append(
                (
                    RunRequest(point, repeat, f"{point}.{repeat}", changes),
                    RunOutcome(f"{point}", state, "", scores, None, 1.0),
                )
            )
    return Table(study, results)


def drawn(
    table: Table,
    scene: Scene,
    inspect_figure: Callable[[Any], None],
    named: FigureColumns | None = None,
    others: Mapping[str, Table] | None = None,
) -> str:
    columns = chosen(table, named or FigureColumns())
    drawing = Drawing(table, scene, labelled(table, scene, UNITS))
    with printed(*drawing.size(columns)) as figure:
        caption = drawing.draw(
            figure, columns, [ComparedStudy(name, other) for name, other in (others or {}).items()]
        )
        inspect_figure(figure)
    return caption


def test_one_value_gives_a_curve_per_goal_with_units(scene: Scene) -> None:
    table = table_of(
        AMPLITUDE + SPEED + COST, lambda values, _: (values["gait.amplitude_deg"] / 100.0, 0.3)
    )

    def inspect_figure(figure: Any) -> None:
        speed, cost = figure.axes
        (line,) = speed.lines
        assert line.get_xydata().tolist() == [[10.0, 0.1], [20.0, 0.2], [30.0, 0.3]]
        assert cost.lines[0].get_ydata().tolist() == [0.3, 0.3, 0.3]
        assert (speed.get_ylabel(), cost.get_ylabel()) == ("Net speed / m/s", "cost")
        assert (speed.get_xlabel(), cost.get_xlabel()) == ("", "Gait: Amplitude / °")

    assert (
        drawn(table, scene, inspect_figure) == "curves of net_speed, cost over gait.amplitude_deg"
    )


def test_repeats_are_a_band_from_minimum_to_maximum(scene: Scene) -> None:
    table = table_of(
        AMPLITUDE + "[repeats]\ncount = 3\n" + SPEED,
        lambda values, k: (values["gait.amplitude_deg"] + k,),
    )

    def inspect_figure(figure: Any) -> None:
        (axes,) = figure.axes
        assert axes.lines[0].get_ydata().tolist() == [11.0, 21.0, 31.0]
        (band,) = axes.collections
        low = band.get_paths()[0].vertices[:, 1].min()
        high = band.get_paths()[0].vertices[:, 1].max()
        assert (low, high) == (10.0, 32.0)

    drawn(table, scene, inspect_figure)


def test_two_values_give_a_map_whose_cells_are_the_results(scene: Scene) -> None:
    def speed(values: dict[str, Any], _: int) -> tuple[float, ...]:
        if values["gait.amplitude_deg"] == 20.0 and values["gait.frequency_deg_s"] == 80.0:
            return (math.nan,)
        return (values["gait.amplitude_deg"] + values["gait.frequency_deg_s"],)

    table = table_of(AMPLITUDE + FREQUENCY + SPEED, speed)

    def inspect_figure(figure: Any) -> None:
        axes, bar = figure.axes
        (mesh,) = axes.collections
        cells = np.ma.filled(mesh.get_array(), np.nan)
        np.testing.assert_array_equal(cells, [[50.0, 60.0, 70.0], [90.0, math.nan, 110.0]])
        assert (axes.get_xlabel(), axes.get_ylabel()) == (
            "Gait: Amplitude / °",
            "Gait: Frequency / °/s",
        )
        assert bar.get_ylabel() == "Net speed / m/s"
        best = axes.lines[-1]
        assert best.get_xydata().tolist() == [[30.0, 80.0]]

    assert (
        drawn(table, scene, inspect_figure)
        == "map of net_speed over gait.amplitude_deg and gait.frequency_deg_s"
    )


def test_third_value_gives_panels_with_the_same_colours(scene: Scene) -> None:
    table = table_of(
        AMPLITUDE + FREQUENCY + SHIFT + SPEED,
        lambda values, _: (values["gait.amplitude_deg"] - values["gait.phase_shift_deg"],),
    )

    def inspect_figure(figure: Any) -> None:
        meshes = [axes.collections[0] for axes in figure.axes[:2]]
        assert [axes.get_title(loc="left") for axes in figure.axes[:2]] == [
            "Phase shift −20 °",
            "Phase shift −50 °",
        ]
        assert {mesh.get_clim() for mesh in meshes} == {(30.0, 80.0)}
        assert [np.asarray(mesh.get_array()).max() for mesh in meshes] == [50.0, 80.0]

    drawn(table, scene, inspect_figure)


def test_list_has_a_curve_for_each_entry(scene: Scene) -> None:
    table = table_of(AMPLITUDE + SHIFT + SPEED, lambda values, _: (values["gait.phase_shift_deg"],))

    def inspect_figure(figure: Any) -> None:
        (axes,) = figure.axes
        assert [(line.get_label(), line.get_ydata().tolist()) for line in axes.lines] == [
            ("Phase shift −50 °", [-50.0] * 3),
            ("Phase shift −20 °", [-20.0] * 3),
        ]

    drawn(
        table,
        scene,
        inspect_figure,
        FigureColumns(x="amplitude_deg", y="net_speed", colour="gait.phase_shift_deg"),
    )


def test_two_goals_give_fronts_of_several_studies(scene: Scene) -> None:
    speeds = {10.0: (0.1, 0.1), 20.0: (0.2, 0.3), 30.0: (0.15, 0.4)}
    table = table_of(
        AMPLITUDE + SPEED + COST, lambda values, _: speeds[values["gait.amplitude_deg"]]
    )
    own = table_of(AMPLITUDE + SPEED + COST, lambda values, _: (0.05, 0.2))

    def inspect_figure(figure: Any) -> None:
        (axes,) = figure.axes
        lines = {line.get_label(): line for line in axes.lines}
        assert lines["Pareto front"].get_xydata().tolist() == [[0.2, 0.3], [0.1, 0.1]]
        assert lines["the paper's gait"].get_xydata().tolist() == [[0.05, 0.2]] * 3
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("Net speed / m/s", "cost")

    named = FigureColumns(x="net_speed", y="cost")
    caption = drawn(table, scene, inspect_figure, named, {"the paper's gait": own})
    assert "cost over net_speed, 2" in caption


def test_points_beyond_limits_are_pale(scene: Scene) -> None:
    text = (
        AMPLITUDE
        + SPEED
        + COST
        + '[[limits]]\nname = "torque"\nmeasure = "largest_torque"\nat_most = 2.0\n'
    )
    table = table_of(
        text,
        lambda values, _: (values["gait.amplitude_deg"], 1.0, values["gait.amplitude_deg"] / 10.0),
    )

    def inspect_figure(figure: Any) -> None:
        lines = {line.get_label(): line.get_xdata().tolist() for line in figure.axes[0].lines}
        assert lines == {
            "limits violated": [30.0],
            "points": [10.0, 20.0],
            "Pareto front": [20.0],
        }

    drawn(table, scene, inspect_figure, FigureColumns(x="net_speed", y="cost"))


def test_goal_of_an_optimiser_is_drawn_over_each_value(scene: Scene) -> None:
    text = AMPLITUDE.replace("steps = 3\n", "") + FREQUENCY.replace("steps = 2\n", "") + SPEED
    study = parse_study(
        f'format = 1\nscene = "a.toml"\n{text}[search]\nkind = "cma_es"\npoints = 3\n'
    )
    results = [
        (
            RunRequest(
                k, 0, str(k), {"gait.amplitude_deg": 10.0 + k, "gait.frequency_deg_s": 50.0 + k}
            ),
            RunOutcome(str(k), "done", "", (0.1 * k,)),
        )
        for k in range(3)
    ]

    def inspect_figure(figure: Any) -> None:
        first, second, _ = figure.axes
        assert np.asarray(first.collections[0].get_offsets()).tolist() == [
            [10.0, 0.0],
            [11.0, 0.1],
            [12.0, 0.2],
        ]
        assert second.lines[-1].get_xydata().tolist() == [[52.0, 0.2]]
        assert second.get_xlabel() == "Gait: Frequency / °/s"

    drawn(Table(study, results), scene, inspect_figure)


def test_figure_files_are_reproducible(
    study_file: Path, cluster_workers: Workers, tmp_path: Path
) -> None:
    run_study(study_file, cluster_workers)
    for suffix, begins in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
        paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
        for path in paths:
            assert main(["study", "export", str(study_file), "--figure", str(path)]) == 0
        assert paths[0].read_bytes().startswith(begins)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for label in (
        "Gait: Amplitude / °",
        "Ground: Friction across",
        "Net speed / m/s",
        'key = "gait.amplitude_deg"',
    ):
        assert label.replace('"', "&quot;") in text or label in text, label


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (
            ["--x", "amplitude"],
            "gait.amplitude_deg",
        ),
        (["--x", "ground.mu_across", "--beside", "STUDY"], "scatter"),
    ],
)
def test_impossible_figure_is_reported(
    named: list[str],
    message: str,
    study_file: Path,
    cluster_workers: Workers,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_study(study_file, cluster_workers)
    arguments = [str(study_file) if argument == "STUDY" else argument for argument in named]
    assert (
        main(["study", "export", str(study_file), "--figure", str(tmp_path / "a.png"), *arguments])
        == 2
    )
    assert message in capsys.readouterr().err
    assert not (tmp_path / "a.png").exists()


def test_axes_without_a_figure_are_reported(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "export", str(study_file), "--csv", "-", "--x", "point"]) == 2
    assert "Give --figure" in capsys.readouterr().err


def test_too_many_panels_are_reported(scene: Scene) -> None:
    many = FREQUENCY.replace("steps = 2", "steps = 20")
    table = table_of(AMPLITUDE + SHIFT + many + SPEED, lambda values, _: (1.0,))
    with pytest.raises(StudyError, match="20 panels, more than 12"):
        chosen(table, FigureColumns())


@pytest.mark.parametrize("varied", [AMPLITUDE, AMPLITUDE + FREQUENCY])
def test_study_without_results_has_no_figure(varied: str, scene: Scene, tmp_path: Path) -> None:
    table = table_of(varied + SPEED, lambda values, _: (math.nan,))
    with pytest.raises(StudyError, match="net_speed so far"):
        write_figure(tmp_path / "a.png", table, scene, UNITS, {})
    assert list(tmp_path.iterdir()) == []


def test_units_are_those_declared_by_the_scene(scene: Scene) -> None:
    """The end of a key is not always its unit: a frequency in °/s ends like seconds."""
    table = table_of(AMPLITUDE + FREQUENCY + SPEED, lambda values, _: (1.0,))
    assert labelled(table, scene, UNITS)["gait.frequency_deg_s"] == "Gait: Frequency / °/s"
