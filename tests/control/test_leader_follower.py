"""Leader-follower control and jam resolution against P3 (50) to (58), on robots with prescribed motion."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.control.controllers.leader_follower import FOLLOWING, RESOLVING, LeaderFollower
from snakestudio.control.controllers.leader_follower import LeaderFollowerFields as Settings
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Control, Run, Scene
from snakestudio.model.snapshot import GROUND, Contacts, Fields, Snapshot
from snakestudio.session.scene_check import check

N = 10
L = 0.14
PERIOD = 0.01
THETA = np.radians([7.0, -32.0, -57.0, -46.0, -8.0, 33.0, 53.0, 45.0, 12.0, -23.0])


def scene_of(head: str = "last", n: int = N, **settings: object) -> Scene:
    return Scene(
        robot=Robot(n_links=n, link_length_m=L, head=head),  # type: ignore[arg-type]
        controller=Settings(kind="leader_follower", **settings),  # type: ignore[arg-type]
    )


def shot(
    time: float, theta: FloatArray, force: FloatArray | None = None, head: str = "last"
) -> Snapshot:
    """The robot of the paper with link directions `theta`, pushed to the left of every link by `force`.

    With the head first it is the same robot, with links counted from the other end and pointing
    backwards.
    """
    n = len(theta)
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    centre = np.cumsum(L * axis, axis=0) - 0.5 * L * axis
    normal = np.zeros((n, 3))
    if force is not None:
        normal[:, :2] = force[:, None] * np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    if head == "first":
        theta = theta[::-1] + np.pi
        centre = centre[::-1]
        normal = normal[::-1]
    pose = np.zeros((n, 7))
    pose[:, :2] = centre - centre.mean(axis=0) + [3.0, -1.0]
    pose[:, 3] = np.cos(theta / 2)
    pose[:, 6] = np.sin(theta / 2)
    angle = np.zeros(n - 1)
    none = np.zeros(n - 1)
    angle[:] = np.diff(theta)
    pushed = np.flatnonzero(normal.any(axis=1)).astype(np.int32)
    # Weight and friction must not be measured as obstacles.
    link = np.concatenate([pushed, np.arange(n)]).astype(np.int32)
    other = np.concatenate([np.zeros(len(pushed)), np.full(n, GROUND)]).astype(np.int32)
    still = np.zeros((len(link), 3))
    contacts = Contacts(
        link, other, still, np.concatenate([normal[pushed], np.ones((n, 3))]), still + 7.0, link * 0
    )
    return Snapshot(time, pose, np.zeros((n, 6)), angle, none, none, none, none, contacts)


def controller(scene: Scene, theta: FloatArray, head: str = "last") -> LeaderFollower:
    return LeaderFollower(scene, shot(0.0, theta, head=head).joint_angle)


def references_of(controller: LeaderFollower, snapshot: Snapshot) -> JointReference:
    return controller.reference(
        np.array([snapshot.time, snapshot.time + 0.5 * PERIOD, snapshot.time + PERIOD]), snapshot
    )


def yaw(controller: LeaderFollower, snapshot: Snapshot) -> FloatArray:
    reference = references_of(controller, snapshot)
    assert not reference.rate.any(), "(59) has no rate reference"
    assert (reference.angle == reference.angle[0]).all()
    return reference.angle[0]


def value(controller: LeaderFollower, name: str) -> float:
    return float(controller.values()[controller.channels.index(name)])


def test_first_references_are_those_of_the_paper() -> None:
    # (52): phi_{n-1} = theta_{n-1} - theta_n,ref with -alpha; (53) with the initial shape before t
    # = 0: every joint repeats the next one's angle, phi_i(0) = phi_{n-1}(-(n-i-1) Dt) = phi_i(0).
    # The program's sign is the opposite one.
    result = controller(scene_of(), THETA)
    phi = -yaw(result, shot(0.0, THETA))
    limit = np.radians(50.0)
    assert phi[-1] == pytest.approx(np.clip(THETA[-2] - np.radians(-50.0), -limit, limit))
    assert phi[:-1] == pytest.approx(np.clip(-np.diff(THETA)[:-1], -limit, limit))


def test_head_offset_is_the_paper_s_expression() -> None:
    # (50)
    result = controller(scene_of(), THETA)
    yaw(result, shot(0.0, THETA))
    expected = sum(0.5 * L / N * j * (np.sin(THETA[j - 1]) + np.sin(THETA[j])) for j in range(1, N))
    assert value(result, "head_offset_m") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("side", [1, -1])
def test_head_turns_at_the_lateral_threshold(side: int) -> None:
    # (51): with the head straight ahead at offset y, the reference is +-alpha until |y| > 0.14 m.
    result = controller(
        scene_of(begins="left" if side > 0 else "right", reference_limit_deg=180.0), THETA
    )
    for tilt, turned in ((0.0, False), (0.2, False), (0.35, True), (0.1, True), (-0.2, True)):
        theta = np.full(N, side * tilt)
        angle = yaw(result, shot(0.0, theta))[-1]
        offset = 0.5 * L * (N - 1) * np.sin(tilt) * side
        assert value(result, "head_offset_m") == pytest.approx(offset)
        expected = side * (-1 if turned else 1)
        assert value(result, "head_side") == expected
        assert angle == pytest.approx(expected * np.radians(50.0) - side * tilt)


def test_every_joint_repeats_the_head_angle_after_a_distance() -> None:
    # (53), with prescribed motion of the head's joint: delay (n - i - 1) 2l / v_ref.
    result = controller(scene_of(speed_m_s=0.2, jam_resolution=False), THETA)
    course = 0.4 * np.sin(2.0 * np.arange(0, 8.0, PERIOD))
    for k, angle in enumerate(course):
        theta = THETA.copy()
        theta[-1] = theta[-2] + angle
        reference = yaw(result, shot(k * PERIOD, theta))
    back = np.arange(1, N - 1)  # joints behind the head's
    at = (len(course) - 1) * PERIOD - back * L / 0.2
    expected = np.interp(at, np.arange(len(course)) * PERIOD, course)
    assert reference[::-1][1:] == pytest.approx(expected, abs=1e-9)


def test_changed_speed_preserves_travelling_bends() -> None:
    result = controller(scene_of(speed_m_s=0.2, jam_resolution=False), THETA)
    before = None
    for k in range(300):
        if k == 200:
            result.apply(scene_of(speed_m_s=0.6, jam_resolution=False), k * PERIOD)
        theta = THETA.copy()
        theta[-1] += 0.4 * np.sin(2.0 * k * PERIOD)
        reference = yaw(result, shot(k * PERIOD, theta))[:-1]
        if before is not None:
            # at most 0.8 rad/s at the head, travelling at three times the speed; the initial bends
            # are steeper.
            assert np.abs(reference - before).max() < 0.06
        before = reference


def jammed(
    controller: LeaderFollower,
    until: float,
    theta: FloatArray,
    force: FloatArray | None,
    begin: float = 0.0,
) -> float:
    """Time at which a jam of a robot held still is detected while its references differ, s; nan if none is."""
    for k in range(round(begin / PERIOD), round(until / PERIOD)):
        references_of(controller, shot(k * PERIOD, theta, force))
        if value(controller, "controller_state") == RESOLVING:
            return k * PERIOD
    return float("nan")


STRAIGHT = np.zeros(N)
PUSH = np.zeros(N)
PUSH[[6, 8]] = 12.0, -9.0


def led(theta: FloatArray = STRAIGHT, **settings: object) -> LeaderFollower:
    """A controller whose delay line starts with large bends, so that a robot held straight deviates from them."""
    bent = np.cumsum(np.full(N, 0.8) * np.sign(np.sin(np.arange(N) + 0.5)))
    return controller(scene_of(**settings), bent)


def test_two_deviating_joints_are_a_jam_after_half_a_second() -> None:
    controller = led()
    when = jammed(controller, 2.0, STRAIGHT, PUSH)
    # Detected at 0.01 s at the earliest, since there is no reference before 0; then longer than 0.5
    # s.
    assert when == pytest.approx(0.52, abs=1e-9)
    assert value(controller, "jam_count") == 1
    assert sum(controller.values()[4:]) >= 2
    frozen = controller.checkpoint()[0].travelled
    for k in range(round(when / PERIOD) + 1, round(when / PERIOD) + 50):
        references_of(controller, shot(k * PERIOD, STRAIGHT, PUSH))
        assert value(controller, "controller_state") == RESOLVING
        assert controller.checkpoint()[0].travelled == frozen, "the delay line stands still"
    references_of(controller, shot(when + 0.5, STRAIGHT, PUSH))
    assert value(controller, "controller_state") == FOLLOWING
    assert not any(controller.values()[4:])


def test_single_joint_or_short_deviation_is_not_a_jam() -> None:
    assert np.isnan(jammed(led(jam_resolution=False), 1.5, STRAIGHT, PUSH))
    assert np.isnan(jammed(led(jam_angle_deg=170.0), 1.5, STRAIGHT, PUSH))
    assert np.isnan(jammed(led(jam_time_s=5.0), 1.5, STRAIGHT, PUSH))
    assert led(jam_resolution=False).needs == Fields.POSE | Fields.JOINTS
    assert Fields.CONTACTS in led().needs


def test_references_in_a_jam_are_those_of_the_paper() -> None:
    # (58): phi_i,ref = phi_i + k (-f_i cos theta_i + f_{i+1} cos theta_{i+1}); f as at the
    # jam; the head keeps its reference.
    controller = led(reference_limit_deg=180.0, jam_gain_rad_per_n=0.05)
    when = jammed(controller, 2.0, STRAIGHT, PUSH)
    head = controller.checkpoint()[0].angle_ref[0]
    theta = 0.1 * np.arange(N)
    phi = -np.diff(theta)
    part = 0.05 * PUSH * np.cos(theta)
    expected = phi - part[:-1] + part[1:]
    got = -yaw(controller, shot(when + PERIOD, theta, 100.0 * PUSH))
    assert got[:-1] == pytest.approx(expected[:-1])
    assert got[-1] == pytest.approx(-head)


def test_sensors_have_noise_and_a_threshold() -> None:
    plain = led()
    deaf = led(force_threshold_n=10.0)
    for controller in (plain, deaf):
        jammed(controller, 2.0, STRAIGHT, PUSH)
    assert plain.checkpoint()[0].force == pytest.approx(PUSH)
    assert deaf.checkpoint()[0].force == pytest.approx(np.where(np.abs(PUSH) >= 10.0, PUSH, 0.0))
    forces = []
    for seed in (1, 1, 2):
        noisy = led(force_noise_n=2.0, noise_seed=seed)
        jammed(noisy, 2.0, STRAIGHT, PUSH)
        forces.append(noisy.checkpoint()[0].force)
    assert np.array_equal(forces[0], forces[1])
    assert not np.array_equal(forces[0], forces[2])
    assert 0.5 < np.std(np.concatenate([forces[0] - PUSH, forces[2] - PUSH])) < 4.0


def test_motion_is_independent_of_the_head_end() -> None:
    last = controller(scene_of(), THETA)
    first = controller(scene_of("first"), THETA, "first")
    rng = np.random.default_rng(0)
    theta = THETA.copy()
    for k in range(150):
        theta = theta + 0.02 * rng.normal(size=N)
        one = yaw(last, shot(k * PERIOD, theta, PUSH))
        other = yaw(first, shot(k * PERIOD, theta, PUSH, "first"))
        # Seen from the other end a joint bends the opposite way: theta_{i+1} - theta_i of links
        # counted backwards.
        assert other == pytest.approx(-one[::-1], abs=1e-9)
        assert first.values()[:4] == pytest.approx(last.values()[:4])


def test_checkpoint_continues_bit_for_bit() -> None:
    controller = led()
    for k in range(40):
        references_of(controller, shot(k * PERIOD, STRAIGHT, PUSH))
    saved = controller.checkpoint()
    first = [
        references_of(controller, shot(k * PERIOD, STRAIGHT, PUSH)).angle for k in range(40, 130)
    ]
    controller.restore(saved)
    again = [
        references_of(controller, shot(k * PERIOD, STRAIGHT, PUSH)).angle for k in range(40, 130)
    ]
    assert np.array_equal(first, again)


def test_two_links_follow_the_leader() -> None:
    theta = np.array([0.3, -0.2])
    result = controller(scene_of(n=2), theta)
    assert yaw(result, shot(0.0, theta)).shape == (1,)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"robot": Robot(n_links=2, link_length_m=L)},
            "joint that follows",
        ),
        (
            {"controller": {"head_angle_deg": 70.0}},
            "70°",
        ),
        (
            {"controller": {"reference_limit_deg": 80.0}},
            "80°",
        ),
        (
            {"controller": {"speed_m_s": 0.05}},
            "bend takes 22.4",
        ),
        (
            {"control": Control(period_s=1.0)},
            "longer than the 0.7",
        ),
        (
            {"controller": {"head_reach_m": 0.9}},
            "0.9 m",
        ),
        (
            {"control": Control(soft_start_deg=3.0)},
            "3 has no effect with this",
        ),
    ],
)
def test_doubtful_values_are_reported(changes: dict[str, object], text: str) -> None:
    scene = scene_of().model_copy(
        update={
            "robot": Robot(n_links=N, link_length_m=L, joint_limit_deg=60.0),
            "run": Run(duration_s=20.0),
        }
    )
    assert not check(scene)
    for part, new in changes.items():
        if isinstance(new, dict):
            new = getattr(scene, part).model_copy(update=new)
        scene = scene.model_copy(update={part: new})
    problems = check(scene)
    assert [p.severity for p in problems] == ["warning"]
    assert text in problems[0].sentence()
