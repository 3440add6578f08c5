"""The emulated robot on the ground against the simulation itself, and its poses as from motion capture."""

from __future__ import annotations

import dataclasses
import socket
from pathlib import Path

import numpy as np
import pytest

from snakestudio.errors import UsageError
from snakestudio.link.emulator.fault import Fault
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.pose_packet import unpack
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile
from snakestudio.live.engine_plant import EnginePlant
from snakestudio.live.pose_sender import PoseSender
from snakestudio.model.edits import with_values
from snakestudio.model.robot.joint_axes import entry_of
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.offline import run_offline

SCENES = Path(__file__).resolve().parents[2] / "scenes"
ALL = np.ones(20, np.bool_)


@pytest.fixture(scope="module")
def loaded() -> LoadedProfile:
    return load_profile(find_profile("lab_robot"))


@pytest.fixture(scope="module")
def scene() -> Scene:
    scene = load_scene(SCENES / "spatial_lateral_undulation.toml")
    changes = {"run.duration_s": 0.12, "run.log_rate_hz": 100.0, "control.set_point_period_s": 0.05}
    return with_values(scene, changes | {"solver.step_s": 0.0005})


def test_plant_moves_as_the_scene_under_the_same_set_points(
    scene: Scene, loaded: LoadedProfile
) -> None:
    # Without backlash: gear teeth that release one step earlier or later because of rounding soon
    # make a difference of millimetres.
    emulation = loaded.profile.emulation.model_copy(update={"free_play_deg": 0.0})
    loaded = dataclasses.replace(
        loaded, profile=loaded.profile.model_copy(update={"emulation": emulation})
    )
    run = run_offline(EnginePlant.scene_of(scene, loaded)).recording
    expected = run.rows(0, len(run.times))
    plant = EnginePlant(scene, loaded)
    entries = [entry_of(scene.body.axes, axis.joint - 1, axis.axis) for axis in loaded.profile.axes]
    for row in range(1, len(run.times)):
        # At a jump a row still has the reference of the interval that it ends.
        plant.advance(0.01, expected.joint_angle_ref[row][entries], np.zeros(20), ALL)
    # The same engine with the same numbers: the difference is rounding of interpolated references,
    # which contacts amplify, so the run is short.
    assert plant.snapshot.link_pose == pytest.approx(expected.link_pose[-1], abs=1e-9)
    assert plant.state.angle == pytest.approx(expected.joint_angle[-1][entries], abs=1e-9)
    assert np.abs(expected.joint_angle[-1] - expected.joint_angle[0]).max() > 1e-4  # it moves


def test_joints_without_torque_are_limp(scene: Scene, loaded: LoadedProfile) -> None:
    plant = EnginePlant(scene, loaded)
    begun = plant.state.angle.copy()
    for _ in range(5):
        state = plant.advance(0.01, np.zeros(20), np.zeros(20), ~ALL)
    assert state.torque == pytest.approx(
        np.zeros(20), abs=0.1
    )  # the remaining effect of the motors' lag
    assert state.angle == pytest.approx(begun, abs=0.05)  # on the ground they do not move
    some = ALL.copy()
    some[0] = False
    for k in range(10):
        state = plant.advance(0.01, begun * (1 - 0.02 * k), np.zeros(20), some)
    assert abs(state.torque[0]) < 0.3  # damping, in proportion to the rotation within a call
    assert np.abs(state.torque[2:]).max() > 0.5


def test_blocked_joint_stays_while_the_others_move(scene: Scene, loaded: LoadedProfile) -> None:
    plant = EnginePlant(scene, loaded)
    begun = plant.state.angle.copy()
    jam = ~ALL
    jam[6] = True
    plant.block(jam)
    for k in range(30):
        plant.advance(0.01, begun * (1 - k / 30), np.zeros(20), ALL)
    play = np.radians(loaded.profile.emulation.free_play_deg)
    assert abs(plant.state.angle[6] - begun[6]) < play
    assert abs(plant.state.angle[2]) < 0.4 * abs(begun[2])


@pytest.fixture(scope="module")
def modules(scene: Scene) -> Scene:
    """Thirteen different modules with one axis per joint, and motors that the profile replaces."""
    return with_values(
        scene,
        {
            "robot.n_links": 13,
            "start.link": 6,
            "robot.joints": "alternating",
            "robot.link": [
                {"index": "first", "length_m": 0.15, "mass_kg": 1.2},
                {"index": "9-13", "radius_m": 0.04},
            ],
            "robot.joint": [
                {
                    "index": "all",
                    "kp_nm_per_rad": 1.0,
                    "max_torque_nm": 0.1,
                    "spring_nm_per_rad": 0.5,
                }
            ],
        },
    )


def test_motors_of_the_profile_override_joint_tables(modules: Scene) -> None:
    loaded = load_profile(find_profile("alternating_modules"))
    values = EnginePlant.scene_of(modules, loaded).axis_values
    assert values.kp == pytest.approx(loaded.profile.emulation.kp_nm_per_rad)
    assert values.max_torque == pytest.approx(loaded.profile.emulation.max_torque_nm)
    assert values.spring == pytest.approx(0.5)


def test_axes_missing_in_the_profile_are_held(scene: Scene) -> None:
    loaded = load_profile(find_profile("generic_servo"))  # yaw alone, in a scene of two axes
    values = EnginePlant.scene_of(scene, loaded).axis_values
    assert values.kp[0::2] == pytest.approx(loaded.profile.emulation.kp_nm_per_rad)
    assert values.kp[1::2] == pytest.approx(scene.joint_controller.kp[1])


def test_single_axis_modules_bend_as_commanded(modules: Scene) -> None:
    loaded = load_profile(find_profile("alternating_modules"))
    plant = EnginePlant(modules, loaded)
    begun = plant.state.angle
    target = np.zeros(12)
    # the last module is light enough to be lifted
    target[2] = 0.2
    target[11] = -0.15
    for k in range(60):
        fraction = min(1.0, k / 40)
        plant.advance(
            0.01, begun * (1 - fraction) + target * fraction, np.zeros(12), np.ones(12, np.bool_)
        )
    assert plant.state.angle == pytest.approx(target, abs=np.radians(3.0))
    assert plant.snapshot.joint_angle.shape == (12,)


def test_firmware_drives_the_engine(scene: Scene, loaded: LoadedProfile) -> None:
    robot = EmulatedRobot(loaded, EnginePlant(scene, loaded))
    robot.inject(Fault("jam", 4), 0.0)
    frames = [frame for k in range(10) for frame in robot.poll(0.01 * k)]
    assert frames  # heartbeats while it boots
    assert robot.safe


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"robot.n_links": 12, "start.link": 6}, "Lab robot has 10.*11"),
        (
            {"model.kind": "planar_nonsmooth"},
            "planar_nonsmooth",
        ),
    ],
)
def test_mismatched_scenes_are_refused(
    scene: Scene, loaded: LoadedProfile, changes: dict, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        EnginePlant(with_values(scene, changes), loaded)
    with pytest.raises(UsageError, match="continuous body"):
        EnginePlant.scene_of(load_scene(SCENES / "worm.toml"), loaded)


# -------------------------------------------------------------------------------------------- poses


@pytest.fixture(scope="module")
def snapshot(scene: Scene, loaded: LoadedProfile) -> Snapshot:
    return EnginePlant(scene, loaded).snapshot


def received(
    sender: PoseSender, snapshot: Snapshot, here: socket.socket, times: list[float]
) -> list:
    for now in times:
        sender.follow(snapshot, now)
    here.settimeout(0.2)
    packets = []
    try:
        while True:
            packets.append(unpack(here.recv(65536)))
    except TimeoutError:
        return packets


@pytest.fixture
def here():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.bind(("127.0.0.1", 0))
        yield here


def test_poses_are_sent_at_their_rate(snapshot: Snapshot, here: socket.socket) -> None:
    sender = PoseSender(f"127.0.0.1:{here.getsockname()[1]}", 20.0)
    packets = received(sender, snapshot, here, [0.01 * k for k in range(100)])
    sender.close()
    assert len(packets) == 20
    assert [packet.sequence for packet in packets] == list(range(20))
    # polled every 10 ms
    assert np.diff([packet.time for packet in packets]) == pytest.approx(0.05, abs=0.011)
    body = packets[0].bodies[3]
    assert (*body.position, *body.quaternion) == pytest.approx(snapshot.link_pose[3].tolist())


def test_noise_and_dropouts_are_applied(snapshot: Snapshot, here: socket.socket) -> None:
    still = dataclasses.replace(snapshot, link_pose=np.tile([0.0, 0, 0, 1, 0, 0, 0], (11, 1)))
    sender = PoseSender(
        f"127.0.0.1:{here.getsockname()[1]}", 100.0, noise=0.002, dropout=0.25, seed=1
    )
    packets = received(sender, still, here, [0.011 * k for k in range(100)])
    sender.close()
    bodies = [body for packet in packets for body in packet.bodies]
    assert len(bodies) / (11 * len(packets)) == pytest.approx(0.75, abs=0.05)
    assert np.std([body.position for body in bodies]) == pytest.approx(0.002, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("here:port",), "'port'"),
        (("127.0.0.1:0",), "'0'.*port"),
        (("127.0.0.1", 0.0), "--pose-rate.*0"),
        (("127.0.0.1", 20.0, -1.0), "--pose-noise-mm.*-1000"),
        (("127.0.0.1", 20.0, 0.0, 2.0), "--pose-dropout.*2"),
    ],
)
def test_invalid_pose_senders_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PoseSender(*arguments)
