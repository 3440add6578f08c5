"""Check of the step size: estimated errors against known ones, scenes without a limit, and failing steps."""

from __future__ import annotations

import math

import pytest

from snakestudio.analysis.comparison.step_size import QuantityCheck, StepCheck, check_step_size
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change
from snakestudio.model.motion import StateStart
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_hash
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.paths import scenes_dir
from tests.analysis.short_runs import short
from tests.engines.common import circle

G = 9.81


def checked(scene: Scene, changes: tuple[Change, ...] = ()) -> StepCheck:
    check = check_step_size(scene, scenes_dir(), changes)
    assert check is not None
    return check


def quantity(check: StepCheck, name: str) -> QuantityCheck:
    return next(each for each in check.quantities if each.name == name)


def single(velocity: float, duration: float, **values: object) -> Scene:
    """One link that slides along its axis."""
    start = StateStart(
        kind="state",
        position_m=((0.0, 0.0, 0.0),),
        orientation_wxyz=((1.0, 0.0, 0.0, 0.0),),
        velocity_m_s=((velocity, 0.0, 0.0),),
        angular_velocity_rad_s=((0.0, 0.0, 0.0),),
    )
    scene = Scene(obstacles=(), start=start)
    return with_values(scene, {"robot.n_links": 1, "run.duration_s": duration, **values})


def test_viscous_sliding_has_the_error_of_runge_kutta() -> None:
    # m v' = -c v from v0: exact x = v0 m / c (1 - exp(-c T / m)). The Runge-Kutta method of order
    # 4 replaces exp(z), with z = -c h / m, by 1 + z + z^2 / 2 + z^3 / 6 + z^4 / 24.
    mass = 1.0
    viscous = 5.0
    velocity = 1.0
    duration = 1.0
    scene = single(
        velocity,
        duration,
        **{
            "model.kind": "planar_lagrangian",
            "robot.mass_kg": mass,
            "solver.step_s": 0.1,
            "control.period_s": 0.1,
            "run.log_rate_hz": 10.0,
            "ground.mu_along": 0.0,
            "ground.mu_across": 0.0,
            "ground.viscous_along_ns_per_m": viscous,
        },
    )
    result = quantity(checked(scene), "net_displacement_m")
    for step, value in zip((0.1, 0.05, 0.025), result.values, strict=True):
        z = -viscous * step / mass
        decay = (1.0 + z + z**2 / 2.0 + z**3 / 6.0 + z**4 / 24.0) ** round(duration / step)
        assert value == pytest.approx(velocity * mass / viscous * (1.0 - decay), rel=1e-12)
    exact = velocity * mass / viscous * (1.0 - math.exp(-viscous * duration / mass))
    assert result.basis == "order"
    assert result.order == pytest.approx(4.0, abs=0.4)
    assert result.error == pytest.approx(abs(result.values[0] - exact), rel=0.02)


def test_stribeck_stop_has_an_error_of_order_one() -> None:
    # v' = -mu g (1 + r exp(-(v / s)^2)) with the coefficient at the step's start, of order 1.
    # Exact distance to the stop, by substituting w = (v / s)^2: s^2 / (2 mu g) ln((exp(w0) + r) /
    # (1 + r)).
    mu = 0.2
    rise = 1.0
    fall = 0.3
    velocity = 0.6
    scene = single(
        velocity,
        0.5,
        **{
            "ground.mu_along": mu,
            "ground.mu_across": mu,
            "ground.stribeck_rise": rise,
            "ground.stribeck_velocity_m_s": fall,
            "solver.step_s": 0.01,
        },
    )
    check = checked(scene)
    result = quantity(check, "net_displacement_m")
    exact = (
        fall**2
        / (2.0 * mu * G)
        * math.log((math.exp((velocity / fall) ** 2) + rise) / (1.0 + rise))
    )
    assert result.basis == "order"
    assert result.order == pytest.approx(1.0, abs=0.2)
    assert result.error == pytest.approx(abs(result.values[0] - exact), rel=0.1)
    assert check.proposal
    proposed = quantity(checked(with_values(scene, check.proposal)), "net_displacement_m")
    assert abs(proposed.values[0] - exact) / exact < 0.012


def test_coulomb_stop_is_within_its_estimate() -> None:
    # Constant deceleration is exact except for the step of the stop, from v: v h / 2 instead of v^2
    # / (2 mu g).
    mu = 0.2
    velocity = 0.5
    step = 0.01
    result = quantity(
        checked(
            single(
                velocity,
                0.5,
                **{"ground.mu_along": mu, "ground.mu_across": mu, "solver.step_s": step},
            )
        ),
        "net_displacement_m",
    )
    last = velocity % (mu * G * step)
    true = last * step / 2.0 - last**2 / (2.0 * mu * G)
    assert result.values[0] - velocity**2 / (2.0 * mu * G) == pytest.approx(true, abs=1e-9)
    assert true <= result.error <= 4.0 * true


def test_creeping_wave_error_matches_a_fine_reference() -> None:
    # 40 links that creep under isotropic friction: a run that is converged by its residual is 19 %
    # off at 1 ms.
    scene = short(
        "lateral_undulation_isotropic",
        10.0,
        **{
            "robot.n_links": 40,
            "start.link": 20,
            "solver.joints": "implicit",
            "solver.step_s": 0.001,
            "gait.amplitude_deg": 9.0,
            "gait.phase_shift_deg": -9.0,
        },
    )
    check = checked(scene)
    result = quantity(check, "net_displacement_m")
    limit = 0.06506  # from runs with 1/16 and 1/32 ms
    true = abs(result.values[0] - limit) / limit
    assert true == pytest.approx(0.19, abs=0.01)
    assert result.basis == "order"
    assert result.order == pytest.approx(1.0, abs=0.15)
    assert result.relative == pytest.approx(true, rel=0.1)
    assert check.proposal == {"solver.step_s": 5e-5}


def test_proposed_step_divides_the_control_period() -> None:
    scene = short(
        "lateral_undulation_isotropic", 0.3, **{"solver.joints": "implicit", "solver.step_s": 0.005}
    )
    check = checked(scene)
    assert check.proposal
    step = check.proposal["solver.step_s"]
    assert step < 0.005
    assert scene.control.period_s / step == pytest.approx(
        round(scene.control.period_s / step), abs=1e-9
    )
    assert check.verdict.endswith("repeat the check with it.") or "For 1 %" in check.verdict


def test_agreement_of_two_runs_needs_no_third() -> None:
    check = checked(short("lagrangian_undulation", 0.5))
    assert [run.step for run in check.runs] == [0.001, 0.0005]
    assert check.proposal == {}
    assert "short enough" in check.verdict
    assert all(each.basis == "two steps" for each in check.quantities)


def test_tumbling_between_posts_does_not_settle() -> None:
    # A board of pins: the path of a link that slides down between them depends on every earlier
    # impact.
    pins = tuple(
        circle(0.5 * column, 0.3 * row + 0.15 * (column % 2), 0.05)
        for column in range(1, 12)
        for row in range(-8, 9)
    )
    scene = single(
        0.5,
        4.0,
        **{
            "ground.mu_along": 0.05,
            "ground.mu_across": 0.05,
            "ground.slope_deg": 20.0,
            "ground.downhill_deg": 0.0,
            "solver.step_s": 0.005,
            "start.angular_velocity_rad_s": ((0.0, 0.0, 3.0),),
        },
    ).model_copy(update={"obstacles": pins})
    check = checked(scene)
    assert all(run.complete for run in check.runs)
    assert not check.settled
    assert check.proposal is None
    assert "proposed" in check.verdict
    assert check.estimate is not None
    assert check.estimate.values["settled"] is False


def test_unstable_step_is_named_and_a_stable_one_proposed() -> None:
    # Explicit gains of 800 N m/rad are stable up to about 1/2800 s.
    for step, fails in ((0.0005, False), (0.001, True)):
        check = checked(short("lateral_undulation_isotropic", 0.5, **{"solver.step_s": step}))
        assert bool(check.runs[0].failure) == fails
        assert check.proposal == {"solver.step_s": 0.00025}
        assert "stable step" in check.verdict
        assert not any(each.basis == "order" for each in check.quantities)


def test_model_that_divides_its_steps_gets_a_smaller_tolerance() -> None:
    check = checked(short("continuum_undulation", 0.5))
    tolerances = [run.scene.solver.error_tolerance for run in check.runs]
    assert tolerances[1] == tolerances[0] / 4
    assert any("solver.error_tolerance" in note for note in check.notes)


def test_standing_still_has_no_error_to_divide_by() -> None:
    check = checked(single(0.0, 0.2))
    assert check.proposal == {}
    assert all(each.relative == 0.0 for each in check.quantities if each.unit != "N")


def test_return_to_the_start_is_related_to_the_path() -> None:
    # Without friction a wave does not move the centre of mass, except in its first step.
    check = checked(
        short(
            "lateral_undulation_isotropic", 1.0, **{"ground.mu_along": 0.0, "ground.mu_across": 0.0}
        )
    )
    result = quantity(check, "net_displacement_m")
    assert "path" in result.relative_to
    assert result.relative < 0.01


def test_changes_during_the_run_are_made_in_every_run() -> None:
    change = Change(0.1, {"gait.amplitude_deg": 20.0})
    scene = short("lateral_undulation_isotropic", 0.3)
    check = checked(scene, (change,))
    changed, plain = (quantity(each, "work_actuator_j").values for each in (check, checked(scene)))
    assert all(
        abs(one - other) > 0.01 * abs(other) for one, other in zip(changed, plain, strict=True)
    )
    assert check.estimate is not None
    assert check.estimate.is_of(scene_hash(check.scene), 1)
    assert not check.estimate.is_of(scene_hash(check.scene), 0)


def test_cancelled_check_gives_nothing() -> None:
    fractions: list[float] = []

    def progress(fraction: float) -> bool:
        fractions.append(fraction)
        return fraction < 0.2

    assert check_step_size(short("lateral_undulation_isotropic", 5.0), None, (), progress) is None
    assert fractions == sorted(fractions)
    assert fractions[-1] < 0.5


def test_estimate_reads_back_and_refuses_others() -> None:
    estimate = checked(single(0.5, 0.2)).estimate
    assert estimate is not None
    assert StepEstimate.read(estimate.text) == estimate
    for text in (
        "",
        "{}",
        "[1]",
        '{"scene_sha256": 1}',
        "x" * 30_000,
        '{"scene_sha256": "a", "changes": "b"}',
    ):
        assert StepEstimate.read(text) is None
