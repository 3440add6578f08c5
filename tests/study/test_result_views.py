"""Views of results without a window: conditions, order, pins, brushes, scales, maps and images."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.study.results import Table
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import Lines, coloured, dots, shades
from snakestudio.viewmodel.study.result_columns import STATES, ResultColumn
from snakestudio.viewmodel.study.result_map import cells_of, choices, colour_ends, fixed_rows
from snakestudio.viewmodel.study.result_rows import ResultRows, Results
from tests.study.made_up import UNITS, made_up_study, outcome_of, table_of


def rows_of(table: Table) -> ResultRows:
    return ResultRows(
        Results(table, UNITS, load_scene(scenes_dir() / "lagrangian_undulation.toml"))
    )


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of(made_up_study(("amplitude", "phase", "model")), 300, completed=290)


# --- columns --------------------------------------------------------------------------------------


def test_columns_have_the_usual_names_and_units(table: Table) -> None:
    columns = rows_of(table).results.columns
    assert [column.heading for column in columns.values()] == [
        "Point",
        "Gait: Amplitude in °",
        "Gait: Phase shift in °",
        "Model",
        "Net speed in m/s",
        "Cost of transport",
        "Largest joint torque in N m",
        "Time to run in s",
        "State",
    ]
    assert columns["gait.amplitude_deg"].short == "Amplitude"
    assert columns["net_speed"].better == 1
    assert columns["cost_of_transport"].better == -1
    assert columns["net_speed"].text_with_unit(0.25) == "0.25 m/s"
    assert columns["net_speed"].text_with_unit(math.nan) == "–"


def test_texts_and_booleans_are_categories_in_order() -> None:
    results = Results(table_of(made_up_study(("switch", "model"), search='kind = "grid"')), UNITS)
    assert results.columns["solver.warm_start"].categories == ("true", "false")
    assert results.columns["model.kind"].categories == (
        "planar_nonsmooth",
        "planar_lagrangian",
        "spatial_nonsmooth",
    )
    assert results.columns["model.kind"].values.tolist() == [0, 1, 2, 0, 1, 2]
    assert results.columns["model.kind"].text(2.0) == "spatial_nonsmooth"


def test_value_of_an_unknown_scene_has_a_name() -> None:
    assert (
        Results(table_of(made_up_study(), 3), UNITS)
        .columns["gait.phase_shift_deg"]
        .title.startswith("Gait: Phase")
    )


def test_state_is_that_of_the_worst_repeat(table: Table) -> None:
    state = rows_of(table).results.columns["state"]
    assert {state.text(value) for value in state.values} == {
        "done",
        "beyond limits",
        "waiting",
        "failed",
    }
    assert (state.values == STATES.index("waiting")).sum() == 10


# --- conditions -----------------------------------------------------------------------------------


def test_rows_that_fit_a_condition_are_shown(table: Table) -> None:
    rows = rows_of(table)
    columns = rows.results.columns
    rows.sift("net_speed > 0.1 and gait.amplitude_deg < 40")
    expected = (columns["net_speed"].values > 0.1) & (columns["gait.amplitude_deg"].values < 40)
    assert rows.fitting.tolist() == expected.tolist()
    assert 0 < rows.fitting.sum() < 300
    assert not rows.problem


def test_condition_can_name_texts_states_and_negations(table: Table) -> None:
    rows = rows_of(table)
    rows.sift("state == \"failed\" or model.kind == 'planar_lagrangian'")
    columns = rows.results.columns
    expected = (columns["state"].values == STATES.index("failed")) | (
        columns["model.kind"].values == 1
    )
    assert rows.fitting.tolist() == expected.tolist()
    rows.sift("not 0.05 <= net_speed")
    assert rows.fitting.tolist() == (columns["net_speed"].values < 0.05).tolist()


def test_name_with_other_characters_can_be_used() -> None:
    study = made_up_study(goals=1)
    named = study.model_copy(
        update={"goals": (study.goals[0].model_copy(update={"name": "speed (mean) / s"}),)}
    )
    table = Table(
        named,
        [
            (run, outcome_of(study, run))
            for run in [request for row in table_of(study, 9).rows for request, _ in row]
        ],
    )
    rows = ResultRows(Results(table, {}))
    rows.sift("speed (mean) / s > 0.01")
    assert not rows.problem
    assert rows.fitting.tolist() == (table["speed (mean) / s"] > 0.01).tolist()


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            "net_sped > 1",
            "'net_sped' at character 1",
        ),
        ("net_speed", "net_speed > 0.1"),
        ("net_speed >", "Write it like net_speed > 0.1"),
        ("derivative(net_speed) > 1", "time series"),
        ("time > 1", "time series"),
        ('model.kind == "planar"', "planar_nonsmooth"),
        ('__import__("os").system("true")', '"os"'),
        ("(lambda: 1)() > 0", "is not"),
        ("net_speed > 10**400", "finite"),
        ("x" * 3000 + " > 1", "Use at most 2000"),
    ],
)
def test_invalid_condition_is_reported_and_shows_all(
    table: Table, condition: str, message: str
) -> None:
    rows = rows_of(table)
    rows.sift(condition)
    assert rows.fitting.all()
    assert message in rows.problem


# --- order, pins and brushes ----------------------------------------------------------------------


def test_sorting_is_stable_with_missing_values_last(table: Table) -> None:
    rows = rows_of(table)
    values = rows.results.columns["net_speed"].values
    for descending in (False, True):
        rows.sort("net_speed", descending)
        ordered = values[rows.visible]
        known = ordered[np.isfinite(ordered)]
        assert (np.diff(known) <= 0 if descending else np.diff(known) >= 0).all()
        assert np.isnan(ordered[len(known) :]).all()
        assert len(known) < len(ordered)
    rows.sort("model.kind", True)
    kinds = rows.results.columns["model.kind"].values[rows.visible]
    for kind in range(3):
        assert (np.diff(rows.visible[kinds == kind]) > 0).all()


def test_pinned_rows_are_first(table: Table) -> None:
    rows = rows_of(table)
    rows.pin([250, 3], True)
    rows.sort("net_speed", True)
    rows.sift("net_speed > 0.1")
    assert rows.visible[:2].tolist() == [250, 3]
    assert len(set(rows.visible.tolist())) == len(rows.visible)
    rows.pin([250], False)
    assert rows.visible[0] == 3


def test_rows_in_all_ranges_are_brushed(table: Table) -> None:
    rows = rows_of(table)
    rows.brush({"net_speed": (0.05, 0.2), "model.kind": (0.5, 1.5)})
    columns = rows.results.columns
    with np.errstate(invalid="ignore"):
        expected = (columns["net_speed"].values >= 0.05) & (columns["net_speed"].values <= 0.2)
    expected &= columns["model.kind"].values == 1
    assert rows.brushed.tolist() == expected.tolist()
    assert len(rows.visible) == 300
    rows.show_only_brushed(True)
    assert rows.visible.tolist() == np.flatnonzero(expected).tolist()
    rows.brush({"model.kind": None})
    assert len(rows.visible) > expected.sum()


def test_choices_stay_when_further_runs_finish() -> None:
    study = made_up_study()
    rows = rows_of(table_of(study, 100, completed=80))
    rows.sort("net_speed", True)
    rows.sift("net_speed > 0.02")
    rows.brush({"gait.amplitude_deg": (20.0, 40.0)})
    rows.pin([70], True)
    rows.select([5, 90])
    before = rows.visible.tolist()
    rows.set_results(Results(table_of(study, 200, completed=180), UNITS))
    assert rows.selected_rows == [5, 90]
    assert rows.visible[0] == 70
    assert set(before) < set(rows.visible.tolist())
    assert rows.brushed.sum() > 0
    assert rows.sorted_by == ("net_speed", True)


# --- axes -----------------------------------------------------------------------------------------


def test_scales_contain_all_values() -> None:
    scale = AxisScale.around(np.array([0.013, 0.27, math.nan]), 0.03)
    assert scale.low < 0.013 < 0.27 < scale.high
    assert scale.value(scale.at(0.2)) == pytest.approx(0.2)


def test_logarithmic_scale_has_ratios() -> None:
    scale = AxisScale.around(np.array([0.01, 1.0]), 0.0, log=True)
    assert scale.at(0.1) == pytest.approx(0.5)
    assert scale.span == (-2.0, 0.0)
    assert AxisScale.around(np.array([3.0, 3.0]), 0.03).at(3.0) == pytest.approx(0.5)
    assert AxisScale.around(np.zeros(0), 0.0).span == (0.0, 1.0)


@pytest.mark.parametrize(
    "values", [[-1.7e308, 1.7e308], [0.0, 5e-324], [1e-320, 1e308], [1.7e308, 1.7e308]]
)
@pytest.mark.parametrize("log", [False, True])
def test_scales_of_values_of_unusual_size_have_ends(values: list[float], log: bool) -> None:
    low, high = AxisScale.around(np.array(values), 0.05, log=log).span
    assert math.isfinite(high - low)
    assert high > low


def test_categories_are_equally_spaced() -> None:
    scale = ResultColumn("a", "A", "", "varied", np.array([0.0, 1.0, 2.0]), ("x", "y", "z")).scale()
    assert scale.fraction(np.arange(3.0)).tolist() == pytest.approx([1 / 6, 0.5, 5 / 6])


# --- maps -----------------------------------------------------------------------------------------


def test_grid_is_drawn_as_cells_before_its_end() -> None:
    results = Results(
        table_of(made_up_study(("amplitude", "phase"), search='kind = "grid"', steps=5), 12), UNITS
    )
    columns = results.columns
    cells = cells_of(
        results,
        np.arange(12),
        columns["gait.amplitude_deg"],
        columns["gait.phase_shift_deg"],
        columns["net_speed"],
        "best",
    )
    assert cells is not None
    assert cells.values.shape == (5, 5)
    assert (cells.rows >= 0).sum() == 12
    # the last value of a grid varies fastest
    assert cells.values[2, 1] == columns["net_speed"].values[7]
    assert cells.rows[2, 1] == 7
    assert not cells.several


def test_cell_shows_best_mean_or_worst_of_its_points() -> None:
    results = Results(
        table_of(made_up_study(("amplitude", "phase", "across"), search='kind = "grid"', steps=4)),
        UNITS,
    )
    columns = results.columns
    x, y, cost = (
        columns[name]
        for name in ("gait.amplitude_deg", "gait.phase_shift_deg", "cost_of_transport")
    )
    best, mean, worst = (
        cells_of(results, np.arange(64), x, y, cost, over) for over in ("best", "mean", "worst")
    )  # type: ignore[arg-type]
    assert best is not None
    assert mean is not None
    assert worst is not None
    assert best.several
    inside = ~best.beyond & ~best.failed & np.isfinite(best.values)
    assert (best.values[inside] <= mean.values[inside]).all()
    assert (worst.values[inside] >= mean.values[inside]).all()
    for line, column in np.argwhere(inside).tolist():
        in_cell = (x.values == best.x[column]) & (y.values == best.y[line]) & results.counts
        assert best.values[line, column] == cost.values[in_cell].min()
    fixed = fixed_rows(
        results, {"ground.mu_across": float(choices(columns["ground.mu_across"])[1])}
    )
    alone = cells_of(results, fixed, x, y, cost, "best")
    assert alone is not None
    assert not alone.several


def test_scattered_points_are_not_cells() -> None:
    results = Results(table_of(made_up_study()), UNITS)
    columns = results.columns
    x, y = columns["gait.amplitude_deg"], columns["gait.phase_shift_deg"]
    assert cells_of(results, np.arange(len(results)), x, y, columns["net_speed"], "best") is None
    assert not len(choices(x))


def test_colours_are_diverging_only_for_both_signs() -> None:
    assert colour_ends(np.array([-0.01, 1.0, math.nan])) == (-0.01, 1.0, False)
    assert colour_ends(np.array([-0.5, 1.0])) == (-1.0, 1.0, True)
    assert colour_ends(np.array([math.nan])) == (0.0, 1.0, False)


# --- pictures -------------------------------------------------------------------------------------


def test_dots_have_their_positions_and_order() -> None:
    x = np.array([10.0, 12.0, math.nan, -50.0, 59.0])
    y = np.array([5.0, 5.0, 5.0, 5.0, 29.0])
    shade, cover = dots(x, y, np.array([3, 9, 7, 7, 4], np.uint8), (60, 30), 3.0)
    assert shade[5, 12] == 9
    assert shade[5, 8] == 3
    assert cover[5, 10] == 255
    assert shade[29, 59] == 4
    assert set(np.unique(shade)) == {0, 3, 4, 9}
    assert shade[15, 30] == cover[15, 30] == 0


@pytest.mark.parametrize("smooth", [False, True])
def test_lines_connect_axes_and_end_at_missing_values(smooth: bool) -> None:
    lines = Lines((100, 50), smooth)
    lines.add(
        np.array([0.0, 50.0, 99.0]),
        np.array([[10.0, 40.0, 40.0], [20.0, math.nan, 5.0]]),
        np.array([1, 2], np.uint8),
    )
    shade, cover = lines.picture()
    assert shade.shape == cover.shape == (50, 100)
    assert shade[25, 25] == 1
    assert (shade[39:42, 75] == 1).any()
    assert not (shade == 2).any()
    assert (cover[shade == 0] == 0).all()


def test_lines_drawn_in_steps_equal_those_drawn_together() -> None:
    random = np.random.Generator(np.random.Philox(1))
    places = np.array([2.0, 30.0, 70.0])
    heights = 40 * random.random((60, 3))
    shade = random.integers(1, 255, 60).astype(np.uint8)
    complete = Lines((80, 40), True)
    parts = Lines((80, 40), True)
    complete.add(places, heights, shade)
    for begin in range(0, 60, 7):
        parts.add(places, heights[begin : begin + 7], shade[begin : begin + 7])
    assert all(
        np.array_equal(a, b) for a, b in zip(complete.picture(), parts.picture(), strict=True)
    )


def test_images_have_the_format_of_qt() -> None:
    palette = np.zeros((256, 3), np.uint8)
    palette[7] = 200, 100, 50
    image = coloured(np.array([[7, 7, 0]], np.uint8), np.array([[255, 51, 0]], np.uint8), palette)
    assert image.tolist() == [[0xFFC86432, 0x3328140A, 0]]
    assert shades(np.array([0.0, 1.0, math.nan]), 0.0, 1.0).tolist() == [1, 255, 1]
