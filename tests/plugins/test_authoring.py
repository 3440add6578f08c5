from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio.api.simulation import open_simulation
from snakestudio.control.registry import create
from snakestudio.engines.chain_engine import chain
from snakestudio.errors import SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load, unload
from snakestudio.runfile.mcap import open_run
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner

from .plugin_files import QUICK, WAG, wagging, written

GAIT = '''
from typing import Literal

import numba
import numpy as np

from snakestudio.plugin import AngleGait, GaitFields, GaitKind, value


class SwingFields(GaitFields):
    """All joints swing."""

    kind: Literal["swing"] = "swing"
    amplitude_deg: float = value(30.0, ge=0, le=90, live=True)
    pace_hz: float = value(0.5, ge=0, le=10, live=True)


@numba.njit
def swing(time, joint, amplitude, omega):
    result = np.empty((len(time), len(joint)))
    for i in range(len(time)):
        for k in range(len(joint)):
            result[i, k] = amplitude * np.sin(omega * time[i] + 0.5 * joint[k])
    return result


class Swing(AngleGait):
    def angles(self, gait, time, joint):
        return swing(time[:, 0], joint, np.radians(gait.amplitude_deg), 2 * np.pi * gait.pace_hz)


KIND = GaitKind(fields=SwingFields, make=Swing)
'''


def assert_continues_to_the_bit(scene: Scene, path: Path) -> None:
    """Assert that a run resumed from the middle of its file has the same end."""
    run_offline(scene, path=path).recording.close()
    with open_run(path) as recording:
        continuation = continue_run(recording, 0.25)
        assert continuation is not None
        assert continuation.exact, continuation.notes
        continuation.runner.advance(10_000)
        again = continuation.runner.recording
        for name in ("link_pose", "joint_angle_ref", "extra"):
            one, other = (getattr(each.rows(0, len(each)), name) for each in (recording, again))
            assert one.tobytes() == other.tobytes(), name


def test_controller_continues_from_its_state_to_the_bit(tmp_path: Path) -> None:
    load(written(tmp_path))
    scene = wagging(**{"start.kind": "joint_angles", "start.joint_angles_deg": (20.0, 0.0, -10.0)})
    assert_continues_to_the_bit(scene, tmp_path / "run.mcap")


def test_controller_is_blended_in_from_the_start(tmp_path: Path) -> None:
    load(written(tmp_path))
    start = {"start.kind": "joint_angles", "start.joint_angles_deg": (20.0, 0.0, -10.0)}
    scene = wagging(**start, **{"run.duration_s": 2.0})
    recording = run_offline(scene).recording
    rows = recording.rows(0, len(recording))
    np.testing.assert_allclose(np.degrees(rows.joint_angle_ref[0]), (20.0, 0.0, -10.0), atol=1e-9)
    t = rows.time[100:]
    expected = 20.0 * np.sin(2 * np.pi * t)[:, None] * np.linspace(0.5, 1.0, 3)
    np.testing.assert_allclose(np.degrees(rows.joint_angle_ref[100:]), expected, atol=1e-6)


def test_single_set_point_is_reached_at_the_period_end(tmp_path: Path) -> None:
    load(written(tmp_path, here="return [0.1 + time[0], 0.0, 0.0]"))
    recording = run_offline(wagging()).recording
    rows = recording.rows(0, len(recording))
    np.testing.assert_allclose(rows.joint_angle_ref[1:, 0], 0.1 + rows.time[:-1], atol=1e-12)
    np.testing.assert_allclose(rows.joint_rate_ref[5:-1, 0], 1.0, atol=1e-9)


@pytest.mark.parametrize(
    "here", ["", "return [self.phase_rad, 0.0, 0.0]"], ids=["law", "set_point"]
)
def test_controller_without_needs_is_called_each_period(tmp_path: Path, here: str) -> None:
    columns = []
    for needs in ("JOINTS", "NONE"):
        text = WAG.replace("ControllerKind, value", "ControllerKind, Fields, value")
        text = text.replace(
            'channels = ("phase_rad",)', f'channels = ("phase_rad",)\n    needs = Fields.{needs}'
        )
        load(written(tmp_path, text=text, here=here))
        runner = Runner(wagging())
        runner.advance(150)
        assert runner.apply(with_values(runner.scene, {"controller.pace_hz": 2.0})) == []
        runner.advance(10_000)
        rows = runner.recording.rows(0, len(runner.recording))
        columns.append((rows.joint_angle_ref[1:], rows.joint_rate_ref[1:], rows.extra[1:]))
        with open_simulation(wagging()) as sim:
            sim.record()
            sim.step(n=sim.scene.n_steps)
            columns[-1] += (sim.run["phase_rad"][1:],)
        unload("wag")
    for with_joints, without in zip(*columns, strict=True):
        np.testing.assert_array_equal(without, with_joints)


def test_gait_has_exact_angles_and_rates_by_differences(tmp_path: Path) -> None:
    load(written(tmp_path, "swing", GAIT))
    scene = with_values(Scene(), {**QUICK, "gait.kind": "swing", "gait.amplitude_deg": 30.0})
    time = np.linspace(0.0, 2.0, 401)
    reference = create(scene).reference(time, None)
    omega = np.pi
    joint = np.arange(3)
    phase = omega * time[:, None] + 0.5 * joint
    settled = time > 0.5  # a straight robot is blended in before
    a = np.radians(30.0)
    np.testing.assert_allclose(reference.angle[settled], a * np.sin(phase)[settled], atol=1e-12)
    np.testing.assert_allclose(
        reference.rate[settled], a * omega * np.cos(phase)[settled], atol=1e-7
    )
    np.testing.assert_allclose(
        reference.acceleration[settled], -a * omega**2 * np.sin(phase)[settled], atol=2e-6
    )


def test_gait_is_blended_to_new_values(tmp_path: Path) -> None:
    load(written(tmp_path, "swing", GAIT))
    runner = Runner(with_values(Scene(), {**QUICK, "gait.kind": "swing", "run.duration_s": 2.0}))
    runner.advance(2000)
    for value in (60.0, 10.0):  # the second during the first
        assert (
            runner.apply(
                with_values(runner.scene, {"gait.amplitude_deg": value, "gait.pace_hz": 1.0})
            )
            == []
        )
        runner.advance(200)
    runner.advance(10_000)
    rows = runner.recording.rows(0, len(runner.recording))
    assert np.abs(np.diff(rows.joint_angle_ref, axis=0)).max() < 0.1
    last = np.radians(10.0) * np.sin(2 * np.pi * rows.time[-1] + 0.5 * np.arange(3))
    np.testing.assert_allclose(rows.joint_angle_ref[-1], last, atol=1e-9)
    numeric = np.gradient(rows.joint_angle_ref, rows.time, axis=0)
    np.testing.assert_allclose(numeric[2:-2], rows.joint_rate_ref[2:-2], atol=0.05)


def test_gait_continues_from_its_state_to_the_bit(tmp_path: Path) -> None:
    load(written(tmp_path, "swing", GAIT))
    assert_continues_to_the_bit(
        with_values(Scene(), {**QUICK, "gait.kind": "swing"}), tmp_path / "run.mcap"
    )


MODEL = '''
from typing import Literal

import numpy as np

from snakestudio.plugin import ChainEngine, FormulationKind, ModelFields, chain, value


class DraggedFields(ModelFields):
    """Viscous drag, no mass (Gray and Hancock 1955)."""

    kind: Literal["dragged"] = "dragged"
    ratio: float = value(2.0, help="Drag across by drag along", ge=1, le=1e4, live=True)


def velocity(pose, by_head, by_joints, rate, ratio, length):
    whole, push = np.zeros((3, 3)), np.zeros(3)
    for k in range(len(pose)):
        c, s = np.cos(pose[k, 2]), np.sin(pose[k, 2])
        drag = np.zeros((3, 3))
        drag[0, 0], drag[1, 1] = c * c + ratio * s * s, s * s + ratio * c * c
        drag[0, 1] = drag[1, 0] = (1.0 - ratio) * c * s
        drag[2, 2] = ratio * length**2 / 12.0
        whole += by_head[k].T @ drag @ by_head[k]
        push += by_head[k].T @ drag @ (by_joints[k] @ rate)
    return np.linalg.solve(whole, -push)


class Dragged(ChainEngine):
    def begin(self, pose):
        self.head, self.velocity = pose[0].copy(), np.zeros(3)

    def step(self, angle, rate):
        length = self.scene.robot.link_length_m
        pose, by_head, by_joints = chain(self.head, angle, length)
        self.velocity = velocity(pose, by_head, by_joints, rate, self.fields.ratio, length)
        self.head = self.head + self.dt * self.velocity
        # HERE

    def links(self):
        pose, by_head, by_joints = chain(self.head, self.angle, self.scene.robot.link_length_m)
        return pose, by_head @ self.velocity + by_joints @ self.rate


KIND = FormulationKind(fields=DraggedFields, engine=Dragged)
'''


def dragged(**values: object) -> Scene:
    return with_values(
        Scene(), {**QUICK, "model.kind": "dragged", "solver.step_s": 0.002, **values}
    )


def test_chain_moves_according_to_its_derivatives() -> None:
    rng = np.random.default_rng(1)
    head = rng.normal(size=3)
    angle = rng.normal(size=4)
    length = rng.uniform(0.1, 0.3, 5)
    pose, by_head, by_joints = chain(head, angle, length)
    ends = pose[:, :2] + 0.5 * length[:, None] * np.column_stack(
        [np.cos(pose[:, 2]), np.sin(pose[:, 2])]
    )
    begins = pose[:, :2] - (ends - pose[:, :2])
    np.testing.assert_allclose(ends[:-1], begins[1:], atol=1e-14)
    h = 1e-6
    for k in range(3):
        d = np.eye(3)[k] * h
        slope = (chain(head + d, angle, length)[0] - chain(head - d, angle, length)[0]) / (2 * h)
        np.testing.assert_allclose(by_head[:, :, k], slope, atol=1e-8)
    for k in range(4):
        d = np.eye(4)[k] * h
        slope = (chain(head, angle + d, length)[0] - chain(head, angle - d, length)[0]) / (2 * h)
        np.testing.assert_allclose(by_joints[:, :, k], slope, atol=1e-8)


def test_model_without_anisotropy_does_not_advance(tmp_path: Path) -> None:
    """Equal drag along and across leaves the mean of the links at rest for any motion of the joints."""
    load(written(tmp_path, "dragged", MODEL))
    moved = []
    for ratio in (1.0, 10.0):
        scene = dragged(
            **{
                "robot.n_links": 8,
                "model.ratio": ratio,
                "run.duration_s": 3.0,
                "control.lead_in": False,
            }
        )
        recording = run_offline(scene).recording
        middle = recording.rows(0, len(recording)).link_pose[:, :, :2].mean(axis=1)
        moved.append(float(np.linalg.norm(middle[-1] - middle[60])))
    assert moved[0] < 2e-3
    assert moved[1] > 0.1


def test_model_continues_from_its_state_to_the_bit(tmp_path: Path) -> None:
    load(written(tmp_path, "dragged", MODEL))
    assert_continues_to_the_bit(dragged(), tmp_path / "run.mcap")


def test_model_is_stepped_from_python(tmp_path: Path) -> None:
    load(written(tmp_path, "dragged", MODEL))
    with open_simulation(dragged()) as sim:
        sim.step(n=20)
        targets = sim.state.joint_angle + 0.1
        sim.step(targets, n=3)
        np.testing.assert_array_equal(sim.state.joint_angle, targets)
        np.testing.assert_array_equal(sim.state.link_pose, sim.state.copy().link_pose)
        assert sim.time == 23 * sim.dt


def test_fault_of_a_model_leaves_the_state_before_its_step(tmp_path: Path) -> None:
    load(
        written(
            tmp_path,
            "dragged",
            MODEL,
            here="if self._counts[0] > 100: self.velocity = self.velocity * np.nan",
        )
    )
    runner = Runner(dragged())
    report = runner.advance(10_000)
    assert not report.ok
    assert report.message.startswith(
        "The plug-in dragged failed: links() returns nan among the velocities of link 1"
    )
    assert runner.engine.step_count == 104, "up to the row that shows it"
    assert np.isfinite(runner.latest.link_pose[:, 3:]).all()


def test_model_refuses_unsupported_robots(tmp_path: Path) -> None:
    load(written(tmp_path, "dragged", MODEL))
    with pytest.raises(SceneError, match='model "dragged"'):
        Runner(dragged(**{"robot.joint": [{"index": 1, "axes": "fixed"}]}))
    assert FORMULATIONS["dragged"].short == "dragged"
