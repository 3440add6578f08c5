"""Teleoperation: the plain gait under constant commands, continuous motion under any others, and refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio._arrays import FloatArray
from snakestudio.control import registry
from snakestudio.control.controllers.teleoperation import CHANNELS, Teleoperation
from snakestudio.control.set_points import SetPoints
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.teleop import OWN_GAIT, TeleopCommand, gait_called, steerable_gaits
from snakestudio.paths import scenes_dir
from snakestudio.session import scene_check

QUICK = {f"controller.{name}_time_s": 0.1 for name in ("speed", "turn", "amplitude", "gait")}
DRIVEN = {"controller": {"kind": "teleoperation"}}


def driven(name: str, **values: Any) -> Scene:
    scene = with_values(load_scene(scenes_dir() / f"{name}.toml"), DRIVEN)
    return with_values(scene, {key.replace("__", "."): value for key, value in values.items()})


PLANAR = driven("path_following")
SPATIAL = driven("sidewinding", control__soft_start_deg=0.0)


def controller(scene: Scene) -> Teleoperation:
    result = registry.create(scene)
    assert isinstance(result, Teleoperation)
    return result


def period(scene: Scene, number: int, knots: int = 11) -> FloatArray:
    return np.linspace(number, number + 1, knots) * scene.control.period_s


def driven_for(result: Teleoperation, scene: Scene, begin: int, count: int) -> list[JointReference]:
    return [result.reference(period(scene, number), None) for number in range(begin, begin + count)]


def plain(scene: Scene, command: TeleopCommand) -> dict[str, Any]:
    """The gait equivalent to a constant command, as values of a scene without teleoperation."""
    law = scene.controller
    gait = gait_called(scene, command.gait)
    assert law.kind == "teleoperation"
    assert gait is not None
    sign = 1.0 if scene.robot.head == "last" else -1.0
    leading = gait.frequency_deg_s if gait.amplitude_deg else gait.pitch.omega * 180.0 / math.pi
    pace = command.speed * law.max_frequency_deg_s / abs(leading)
    changed = {
        "amplitude_deg": command.amplitude * gait.amplitude_deg,
        "frequency_deg_s": pace * gait.frequency_deg_s,
        "offset_deg": gait.offset_deg + sign * command.turn * law.max_offset_deg,
    }
    if gait.kind == "two_waves":
        changed["pitch_amplitude_deg"] = command.amplitude * gait.pitch_amplitude_deg  # type: ignore[attr-defined]
        changed["pitch_frequency_deg_s"] = pace * gait.pitch_frequency_deg_s  # type: ignore[attr-defined]
    return {"controller": {"kind": "none"}, "gait": gait.model_copy(update=changed).model_dump()}


@pytest.mark.parametrize("scene", [PLANAR, SPATIAL], ids=["planar", "spatial"])
@pytest.mark.parametrize(
    "command",
    [
        TeleopCommand(0.7, 0.3, 0.8),
        TeleopCommand(-1.0, -1.0, 0.5),
        TeleopCommand(0.5, 0.0, 1.0, "obstacle_aided"),
        TeleopCommand(0.5, 0.5, 0.9, "turning"),
    ],
    ids=["own", "backwards", "library", "bent"],
)
def test_constant_command_is_the_plain_gait_of_its_values(
    scene: Scene, command: TeleopCommand
) -> None:
    scene = with_values(scene, QUICK)
    instance = controller(scene)
    instance.steer(command)
    driven_for(instance, scene, 0, 50)
    # The closed form with the phase of the controller at that time.
    frequency = math.radians(command.speed * scene.controller.max_frequency_deg_s)  # type: ignore[union-attr]
    knots = period(scene, 50)
    result = instance.reference(knots, None)
    gait = SetPoints(with_values(scene, plain(scene, command)))
    # Full speed is reached in T = 0.1 s, of which a quarter each is acceleration and deceleration;
    # the share s of it in (3 s + 1) T / 4, of which the phase loses half.
    shifted = knots - 0.5 * (3.0 * abs(command.speed) + 1.0) * 0.1 / 4.0
    expected = gait.reference(shifted, None)
    np.testing.assert_allclose(result.angle, expected.angle, atol=1e-9)
    np.testing.assert_allclose(result.rate, expected.rate, atol=1e-9)
    np.testing.assert_allclose(result.acceleration, expected.acceleration, atol=1e-8)
    assert instance.values()[0] == pytest.approx(frequency)


@pytest.mark.parametrize("name", [entry.name for entry in GAITS if not entry.robot])
def test_library_gaits_drive_forwards_and_back(name: str) -> None:
    scene = with_values(SPATIAL, {**QUICK, "controller.speed_time_s": 0.2})
    result = controller(scene)
    result.steer(TeleopCommand(0.0, gait=name))
    turned = driven_for(result, scene, 0, 30)[-1].angle[-1]
    result.steer(TeleopCommand(1.0, gait=name))
    away = driven_for(result, scene, 30, 40)[-1].angle[-1]
    result.steer(TeleopCommand(-1.0, gait=name))
    driven_for(result, scene, 70, 55)
    result.steer(TeleopCommand(0.0, gait=name))
    # Full speed is reached in T = 0.2 s, and from f to -f in 7 T / 4. The phase covered is f (0.4 s
    # - T/2) forwards, zero during the reversal, f (0.55 s - 7 T / 4) backwards, and f T/2 until it
    # stops: f 0.3 s in either direction.
    back = driven_for(result, scene, 125, 25)[-1].angle[-1]
    assert np.abs(away - turned).max() > math.radians(3.0)
    np.testing.assert_allclose(back, turned, atol=1e-9)


commands = st.builds(
    TeleopCommand,
    speed=st.floats(-1.0, 1.0),
    turn=st.floats(-1.0, 1.0),
    amplitude=st.floats(0.0, 1.0),
    gait=st.sampled_from(
        [None, "lateral_undulation", "sidewinding", "rolling", "sinus_lifting", "inchworm"]
    ),
)
drives = st.lists(st.tuples(st.integers(1, 20), commands), min_size=1, max_size=6)


@given(drives)
def test_any_commands_give_bounded_continuous_motion(
    drive: list[tuple[int, TeleopCommand]],
) -> None:
    scene = SPATIAL
    result = controller(scene)
    number = 0
    blocks: list[JointReference] = []
    for count, command in drive:
        result.steer(command)
        blocks += driven_for(result, scene, number, count)
        number += count
    for before, after in itertools.pairwise(blocks):
        np.testing.assert_allclose(after.angle[0], before.angle[-1], atol=1e-9)
        np.testing.assert_allclose(after.rate[0], before.rate[-1], atol=1e-6)
    law = scene.controller
    assert law.kind == "teleoperation"
    # Product rule over (1 - b) s A sin(r Phi) + b s A' sin(r' Phi) + psi, each factor at its
    # largest: A 40 deg and r = 1, or A 4 deg and r = 2 (sinus-lifting); a quantity of span 1 in T s
    # has the limits 4/(3T) and 16/(3T^2).
    high = math.radians(40.0)
    ratio = 2.0
    top = math.radians(law.max_frequency_deg_s)
    turn = math.radians(law.max_offset_deg)
    envelope = 1.0
    d_share = 4 / 3 / law.amplitude_time_s
    dd_share = 16 / 3 / law.amplitude_time_s**2
    d_blend = 4 / 3 / law.gait_time_s
    dd_blend = 16 / 3 / law.gait_time_s**2
    omega = ratio * top
    d_omega = ratio * top * 16 / 3 / law.speed_time_s**2
    weight = dd_share + 2 * d_blend * d_share + dd_blend
    d_weight = d_share + d_blend
    bound = 2 * high * (weight + 2 * d_weight * omega + envelope * (d_omega + omega**2))
    bound += turn * 16 / 3 / law.turn_time_s**2
    angles = np.concatenate([block.angle for block in blocks])
    accelerations = np.concatenate([block.acceleration for block in blocks])
    assert np.abs(accelerations).max() <= bound
    assert np.abs(angles).max() <= high + turn + 1e-9
    h = scene.control.period_s / 10
    for block in blocks:
        np.testing.assert_allclose(
            np.diff(block.angle, axis=0), block.rate[:-1] * h, atol=0.5 * bound * h**2
        )


def test_robot_at_rest_keeps_its_shape_and_starts_like_the_gait() -> None:
    result = controller(PLANAR)
    start = (
        SetPoints(with_values(PLANAR, {"controller": {"kind": "none"}}))
        .reference(np.zeros(1), None)
        .angle[0]
    )
    for block in driven_for(result, PLANAR, 0, 20):
        np.testing.assert_allclose(
            block.angle, np.broadcast_to(start, block.angle.shape), atol=1e-12
        )
        assert not block.rate.any()


def test_command_applies_from_the_next_period_once() -> None:
    result = controller(PLANAR)
    driven_for(result, PLANAR, 0, 1)
    assert result.steer(TeleopCommand(1.0))
    assert not result.steer(TeleopCommand(1.0))
    first = result.reference(period(PLANAR, 1), None)
    assert not first.rate[0].any()
    assert first.rate[-1].any()
    assert dict(zip(CHANNELS, result.values(), strict=True))["gait_frequency_radps"] == 0.0, (
        "as at the period's begin"
    )


def test_left_is_left_with_either_head_end() -> None:
    bends = []
    for head in ("first", "last"):
        scene = with_values(
            PLANAR, {"robot.head": head, "gait.amplitude_deg": 0.0, "start.amplitude_deg": 0.0}
        )
        result = controller(scene)
        result.steer(TeleopCommand(0.0, 1.0))
        bends.append(driven_for(result, scene, 0, 120)[-1].angle[-1])
    np.testing.assert_allclose(bends[0], -math.radians(10.0), atol=1e-12)
    np.testing.assert_allclose(bends[1], math.radians(10.0), atol=1e-12)


def test_program_drives_until_a_command_arrives() -> None:
    program = [
        {"time_s": 0.0, "speed": 0.5},
        {"time_s": 0.1, "turn": 1.0},
        {"time_s": 0.3, "speed": 1.0},
    ]
    scene = driven("path_following", controller__program=program)
    result = controller(scene)
    driven_for(result, scene, 0, 1)
    assert result.command == TeleopCommand(0.5)
    driven_for(result, scene, 1, 10)
    assert result.command == TeleopCommand(0.0, 1.0)
    assert result.steer(TeleopCommand(0.0, 1.0)), "the same, but from a hand"
    driven_for(result, scene, 11, 40)
    assert result.command == TeleopCommand(0.0, 1.0)


def test_driven_gait_has_delay_set_points_and_soft_start() -> None:
    late = {"control.start_delay_s": 0.05, "control.set_point_period_s": 0.04}
    scene = with_values(PLANAR, {**QUICK, **late})
    result = controller(scene)
    result.steer(TeleopCommand(1.0, 1.0))
    blocks = driven_for(result, scene, 0, 40)
    assert all(not block.rate.any() for block in blocks), "set-points are held"
    held = np.concatenate([block.angle[:, 0] for block in blocks])
    assert len(np.unique(held)) <= 10
    assert len(np.unique(held)) >= 8
    other = controller(with_values(PLANAR, {**QUICK, "control.start_delay_s": 0.05}))
    other.steer(TeleopCommand(1.0, 1.0))
    smooth = driven_for(other, scene, 0, 40)
    # Set-points are samples of the same motion: the one of 0.36 s holds until 0.4 s.
    np.testing.assert_allclose(blocks[38].angle[5], smooth[36].angle[0], atol=1e-12)


def test_restored_state_is_bit_identical() -> None:
    result = controller(SPATIAL)
    result.steer(TeleopCommand(0.8, 0.2, 0.7, "rolling"))
    driven_for(result, SPATIAL, 0, 25)
    result.steer(TeleopCommand(-0.3, 0.0, 0.9, "inchworm"))
    state = result.checkpoint()
    first = driven_for(result, SPATIAL, 25, 25)
    result.steer(TeleopCommand(1.0))
    other = controller(SPATIAL)
    other.restore(state)
    for a, b in zip(first, driven_for(other, SPATIAL, 25, 25), strict=True):
        assert a.angle.tobytes() == b.angle.tobytes()
        assert a.acceleration.tobytes() == b.acceleration.tobytes()


def test_edited_gait_and_limits_apply_without_a_jump() -> None:
    result = controller(PLANAR)
    result.steer(TeleopCommand(1.0))
    before = driven_for(result, PLANAR, 0, 80)[-1]
    edits = {
        "gait.amplitude_deg": 20.0,
        "controller.max_frequency_deg_s": 40.0,
        "controller.max_offset_deg": 0.0,
    }
    scene = with_values(PLANAR, edits)
    result.apply(scene, 0.8)
    after = driven_for(result, scene, 80, 200)
    np.testing.assert_allclose(after[0].angle[0], before.angle[-1], atol=1e-9)
    np.testing.assert_allclose(after[0].rate[0], before.rate[-1], atol=1e-7)
    assert result.values()[0] == pytest.approx(math.radians(40.0))
    assert max(np.abs(block.angle).max() for block in after[170:]) <= math.radians(20.0) + 1e-9


RECORDED = (
    OWN_GAIT,
    *("lateral_undulation", "obstacle_aided", "turning"),
    *("fast_lateral_undulation", "cheap_lateral_undulation", "eel_like"),
)
"""Gaits of the plane whose numbers are in recordings; new gaits of the library come after them."""


def test_unsuitable_gaits_are_not_selected() -> None:
    assert steerable_gaits(PLANAR)[: len(RECORDED)] == RECORDED
    assert "sidewinding" not in steerable_gaits(PLANAR), "it needs pitch axes"
    waves = [entry.name for entry in GAITS if not entry.robot]
    assert steerable_gaits(SPATIAL) == (OWN_GAIT, *waves)
    stops = with_values(PLANAR, {"robot.joint_limit_deg": 36.0})
    assert "obstacle_aided" not in steerable_gaits(stops), "its amplitude is 40 degrees"
    assert "turning" in steerable_gaits(stops)
    result = controller(PLANAR)
    result.steer(TeleopCommand(1.0, gait="turning"))
    result.steer(TeleopCommand(0.5, gait="sidewinding"))
    assert result.command == TeleopCommand(0.5, gait="turning")


@pytest.mark.parametrize(
    "bad", [{"speed": 1.01}, {"turn": math.nan}, {"amplitude": -0.1}, {"speed": -math.inf}]
)
def test_values_out_of_range_are_not_a_command(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        TeleopCommand(**bad)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"controller.program": [{"time_s": 2.0}, {"time_s": 1.0}]},
            "program[2].time_s: 1 s follows 2 s",
        ),
        (
            {"controller.program": [{"time_s": 0.0, "gait": "gallop"}]},
            '"gallop"',
        ),
        (
            {"controller.program": [{"time_s": 0.0, "gait": "sidewinding"}]},
            "vertical wave",
        ),
        (
            {"controller.program": [{"time_s": 0.0, "speed": 2.0}]},
            "program[1].speed",
        ),
    ],
)
def test_invalid_programs_are_refused_with_a_message(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SceneError) as error:
        registry.create(with_values(PLANAR, values))
    assert sentence in str(error.value)


def test_warnings_have_a_remedy() -> None:
    still = with_values(PLANAR, {"gait.frequency_deg_s": 0.0})
    assert [problem.key for problem in registry.check(still)] == ["gait.frequency_deg_s"]
    tight = with_values(PLANAR, {"robot.joint_limit_deg": 35.0})
    (problem,) = registry.check(tight)
    assert problem.fixes[0].values == (("controller.max_offset_deg", 5.0),)
    assert registry.check(with_values(tight, dict(problem.fixes[0].values))) == []
    driven = with_values(load_scene(scenes_dir() / "worm.toml"), DRIVEN)
    (doubt,) = (p for p in scene_check.check(driven) if "controller" in p.key)
    assert "ignored by" in doubt.message
