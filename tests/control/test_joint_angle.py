"""Joint angles as formulas, compared with the built-in waves, whose formulas are in the papers (P1 (71))."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio import api
from snakestudio.api.simulation import open_simulation
from snakestudio.control.registry import create
from snakestudio.errors import PhysicsError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap import open_run
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check

PLANAR = {"model.kind": "planar_lagrangian", "robot.n_links": 6, "run.duration_s": 0.5}
SPATIAL = {"model.kind": "spatial_nonsmooth", "robot.n_links": 6, "run.duration_s": 0.2}
WAVE = {
    "gait.kind": "lateral_undulation",
    "gait.amplitude_deg": 30.0,
    "gait.frequency_deg_s": 70.0,
    "gait.phase_shift_deg": 40.0,
    "gait.offset_deg": 5.0,
    "gait.phase_deg": 20.0,
}
FORMULA = {
    "gait.kind": "joint_angle",
    "gait.angle_deg": "30*sin((70*t + 40*(i - 1) + 20)*pi/180) + 5",
}
TWO = {
    **WAVE,
    "gait.kind": "two_waves",
    "gait.pitch_amplitude_deg": 10.0,
    "gait.pitch_frequency_deg_s": 140.0,
    "gait.pitch_phase_shift_deg": -30.0,
    "gait.pitch_phase_deg": 50.0,
    "gait.pitch_offset_deg": -2.0,
}
TWO_FORMULAS = {
    **FORMULA,
    "gait.pitch_angle_deg": "10*sin((140*t - 30*(i - 1) + 50)*pi/180) - 2",
}


def of(*values: dict[str, object]) -> Scene:
    merged: dict[str, object] = {}
    for each in values:
        merged |= each
    return with_values(Scene(), merged)


@pytest.mark.parametrize(
    ("model", "wave", "formula"), [(PLANAR, WAVE, FORMULA), (SPATIAL, TWO, TWO_FORMULAS)]
)
def test_wave_formula_has_exact_derivatives(
    model: dict[str, object], wave: dict[str, object], formula: dict[str, object]
) -> None:
    time = np.linspace(0.0, 0.5, 51)
    one, other = (create(of(model, gait)).reference(time, None) for gait in (wave, formula))
    for name in ("angle", "rate", "acceleration"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=0, atol=1e-13)
    assert np.abs(one.rate).max() > 0.1


def test_run_of_the_formula_is_that_of_the_wave() -> None:
    one, other = (api.simulate(of(PLANAR, gait)) for gait in (WAVE, FORMULA))
    for name in ("link_1_x_m", "link_6_y_m", "joint_3_yaw_rad", "joint_3_yaw_torque_nm"):
        np.testing.assert_allclose(other[name], one[name], rtol=0, atol=1e-9)
    assert one["joint_3_yaw_rad"][0] == pytest.approx(other["joint_3_yaw_rad"][0], abs=1e-14)


def test_rates_are_derivatives_of_any_formula() -> None:
    law = {"gait.kind": "joint_angle", "gait.angle_deg": "5*i*exp(-t)*cos(3*t^2)/n"}
    scene = of(PLANAR, law, {"start.kind": "gait"})
    time = np.linspace(0.0, 0.4, 9)
    reference = create(scene).reference(time, None)
    i = np.arange(1, 6)
    e, c, s = np.exp(-time), np.cos(3 * time**2), np.sin(3 * time**2)
    scale = np.radians(5.0 / 6.0)
    np.testing.assert_allclose(reference.angle, scale * np.outer(e * c, i), atol=1e-14)
    rate = e * (-c - 6 * time * s)
    np.testing.assert_allclose(reference.rate, scale * np.outer(rate, i), atol=1e-14)


def test_changed_formula_is_blended_in() -> None:
    runner = Runner(of(PLANAR, FORMULA, {"run.duration_s": 2.0}))
    runner.advance(800)
    changed = with_values(runner.scene, {"gait.angle_deg": "10*cos(t + i)"})
    assert runner.apply(changed) == []
    runner.advance(100_000)
    rows = runner.recording.rows(0, len(runner.recording))
    assert np.abs(np.diff(rows.joint_angle_ref, axis=0)).max() < 0.1
    expected = np.radians(10.0 * np.cos(rows.time[-1] + np.arange(1, 6)))
    np.testing.assert_allclose(rows.joint_angle_ref[-1], expected, atol=1e-12)


def test_gait_can_change_to_other_kinds_only_at_a_reset() -> None:
    runner = Runner(of(PLANAR, FORMULA))
    runner.advance(100)
    assert runner.apply(with_values(runner.scene, WAVE)) == ["gait"]


def test_run_continues_from_its_file_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    run_offline(of(PLANAR, FORMULA), path=path).recording.close()
    with open_run(path) as recording:
        continuation = continue_run(recording, 0.25)
        assert continuation is not None
        assert continuation.exact, continuation.notes
        continuation.runner.advance(100_000)
        again = continuation.runner.recording
        one, other = (each.rows(0, len(each)).link_pose for each in (recording, again))
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(
    ("values", "key", "text"),
    [
        ({"gait.angle_deg": "1/(t - 0.25)"}, "gait.angle_deg", "t = 0.25"),
        ({"gait.angle_deg": "30*sin(t + k)"}, "gait.angle_deg", "'k'"),
        ({"gait.angle_deg": ""}, "gait.angle_deg", "empty"),
        ({"gait.pitch_angle_deg": "sqrt("}, "gait.pitch_angle_deg", "closed"),
        (
            {"gait.angle_deg": "50*sin(9*t)", "robot.joint_limit_deg": 45.0},
            "gait.angle_deg",
            "its limit is 45°",
        ),
        (
            {"gait.angle_deg": "50*sin(9*t)", "actuator.max_speed_deg_s": 100.0},
            "actuator.max_speed_deg_s",
            "450°/s",
        ),
        ({"gait.pitch_angle_deg": "10*sin(t)"}, "gait.pitch_angle_deg", "ignored"),
    ],
)
def test_check_names_the_formula(values: dict[str, object], key: str, text: str) -> None:
    messages = [each.message for each in check(of(PLANAR, FORMULA, values)) if each.key == key]
    assert any(text in message for message in messages), messages


def test_pole_after_the_checked_time_stops_the_simulation() -> None:
    scene = of(PLANAR, {"gait.kind": "joint_angle", "gait.angle_deg": "sqrt(0.6 - t)"})
    assert check(scene) == []
    with open_simulation(scene) as sim, pytest.raises(PhysicsError, match=r"t = 0\.59"):
        sim.step(n=8000)


def test_study_can_vary_the_formula(tmp_path: Path) -> None:
    study = api.Study(
        of(PLANAR, FORMULA, {"run.duration_s": 0.1}),
        vary={"gait.angle_deg": ["10*sin(t)", "20*sin(t)"]},
        goals=["net_speed"],
        file=tmp_path / "formulas.study.toml",
    )
    study.run(workers=1)
    assert set(study.table["gait.angle_deg"]) == {"10*sin(t)", "20*sin(t)"}
