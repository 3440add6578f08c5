"""What a finished run answers in Python: columns, patterns, signals and measures, and hints for mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.arguments import wrong_kind
from snakestudio.model.world import STANDARD_GRAVITY
from snakestudio.paths import scenes_dir
from snakestudio.plugins import loading

MAIN = scenes_dir() / "obstacle_aided.toml"


@pytest.fixture(scope="module")
def run() -> ss.Run:
    return ss.simulate(MAIN, duration=1.0)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("com_x", "Did you mean com_x_m?"),
        ("link_1_x", "Did you mean link_1_x_m?"),
        ("heading", "Did you mean heading_rad?"),
        ("com_xm", "Did you mean com_x_m"),
        ("nothing_like_it", "run.columns"),
        ("nothing_*_like_it", "run.columns"),
        (3, "run.columns"),
    ],
)
def test_unknown_column_gets_a_hint(run: ss.Run, name: str, hint: str) -> None:
    assert name not in run
    with pytest.raises(KeyError) as error:
        run[name]
    assert repr(name) in error.value.args[0]
    assert hint in error.value.args[0]


def test_pattern_gives_one_column_per_part(run: ss.Run) -> None:
    columns = run["link_*_x_m"]
    assert columns.shape == (101, 11)
    for k in range(11):
        np.testing.assert_array_equal(columns[:, k], run[f"link_{k + 1}_x_m"])
    assert run["com_?_m"].shape == (101, 3)
    assert "link_*_x_m" not in run


def test_measures_have_their_closed_forms(run: ss.Run) -> None:
    x, y = run["com_x_m"], run["com_y_m"]
    distance = float(np.hypot(x[-1] - x[0], y[-1] - y[0]))
    assert run.value("net_speed") == pytest.approx(distance / 1.0, rel=1e-12)
    assert run.value("net_distance") == pytest.approx(distance, rel=1e-12)
    weight = run.scene.robot.mass * STANDARD_GRAVITY
    cost = run["work_actuator_j"][-1] / (weight * distance)
    assert run.value("cost_of_transport") == pytest.approx(cost, rel=1e-12)
    turned = np.unwrap(run["heading_rad"])
    assert run.value("turn_rate") == pytest.approx(turned[-1] - turned[0], abs=1e-12)


def test_values_of_expressions_and_of_another_run(run: ss.Run) -> None:
    assert run.value("max(com_x_m) - min(com_x_m)") == np.ptp(run["com_x_m"])
    other = ss.simulate(MAIN, duration=1.0, rate=50)
    difference = run.value("max(com_x_m - other.com_x_m)", other)
    assert 0.0 < difference < 1e-4  # of straight lines between rows


def test_reductions_of_plugins_are_measures(run: ss.Run, tmp_path: Path) -> None:
    file = tmp_path / "middle.py"
    file.write_text(
        "from snakestudio.plugin import ReductionKind\n"
        "def of(time, values):\n    return values[len(values) // 2]\n"
        'KIND = ReductionKind(name="middle_value", help="Value in the middle", of=of)\n',
        encoding="utf-8",
    )
    plugin = ss.load_plugin(file)
    try:
        assert run.value("middle_value(com_x_m)") == run["com_x_m"][50]
    finally:
        loading.unload(plugin.name)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda run: run.value("nett_speed"), ss.SnakeStudioError, "Did you mean net_speed"),
        (lambda run: run.value("com_x_m"), ss.SnakeStudioError, "one number"),
        (lambda run: run.value("time_jammed"), ss.SnakeStudioError, "joint_1_jammed"),
        (lambda run: run.value(3), ss.UsageError, "not an int."),
        (lambda run: run.value("net_speed", 3), ss.UsageError, "other must be a Run"),
        (lambda run: run.signal("com_x_m + time_s"), ss.SnakeStudioError, "(m) and 'time_s' (s)"),
        (lambda run: run.signal("com_x_m > time"), ss.SnakeStudioError, "(m) and 'time' (s)"),
        (
            lambda run: run.signal("max(com_x_m, com_vx_mps)"),
            ss.SnakeStudioError,
            "one unit",
        ),
    ],
)
def test_wrong_expressions_are_refused(
    run: ss.Run, call: Callable[[ss.Run], object], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind) as error:
        call(run)
    assert text in str(error.value)


def test_plain_removes_a_unit(run: ss.Run) -> None:
    added = run.signal("plain(com_x_m) + plain(time_s)")
    np.testing.assert_allclose(added, run["com_x_m"] + run["time_s"], rtol=1e-14)


def test_keys_as_keywords_are_explained() -> None:
    assert ss.simulate(MAIN, 0.01, gait={"amplitude_deg": 31.0}).scene.gait.amplitude_deg == 31.0
    with pytest.raises(ss.SceneError) as error:
        ss.simulate(MAIN, 0.01, gait_amplitude_deg=31.0)
    assert 'gait={"amplitude_deg": ...} or **{"gait.amplitude_deg": ...}' in str(error.value)
    with pytest.raises(ss.SceneError, match=r"Did you mean gait\.amplitude_deg"):
        ss.simulate(MAIN, 0.01, values={"gait_amplitude_deg": 31.0})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "not an int."),
        ([], "not a list."),
        (None, "not None."),
        (np.zeros(2), "not an ndarray."),
    ],
)
def test_types_have_their_article(value: object, text: str) -> None:
    assert str(wrong_kind("x", "a number", value)).endswith(text)
