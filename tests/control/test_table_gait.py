"""A table of joint angles as a gait: played, held, looped, faster; in 3D and 2D, in studies and saved states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.control import registry
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.table_gait import joint_table
from snakestudio.runfile.mcap.enclosed import named_files
from snakestudio.runfile.states import decode, encode
from snakestudio.session.live_edit import live_scene
from snakestudio.session.scene_check import check
from snakestudio.study.evaluate import files_of

TIME = np.linspace(0.0, 2.0, 101)
JOINTS = 3


def rows(time: Any = TIME) -> Any:
    """Angles of three joints, rad; they end as they begin."""
    return np.stack([0.3 * np.sin(np.pi * time + 0.7 * k) for k in range(JOINTS)], axis=1)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "log.csv").write_text(
        "time_s,q1_rad,q2_rad,q3_rad\n"
        + "\n".join(
            ",".join(map(repr, (t, *angles)))
            for t, *angles in np.column_stack([TIME, rows()]).tolist()
        )
    )
    values = {
        "robot.n_links": JOINTS + 1,
        "robot.joints": "yaw",
        "gait.kind": "table",
        "gait.file": "log.csv",
        "start.kind": "gait",
        "run.duration_s": 0.5,
    }
    return with_values(Scene(), values)


def test_references_pass_through_the_rows_and_rest_at_the_end(scene: Scene, tmp_path: Path) -> None:
    gait = registry.create(scene, tmp_path)
    reference = gait.reference(np.concatenate([TIME, [2.5, 3.0]]), None)
    np.testing.assert_allclose(reference.angle[:-2], rows(), atol=1e-14)
    np.testing.assert_allclose(reference.angle[-2:], rows()[-1:].repeat(2, axis=0), atol=1e-14)
    assert not reference.rate[-2:].any()
    fine = np.linspace(0.0, 2.0, 4001)
    between = registry.create(scene, tmp_path).reference(fine, None)
    np.testing.assert_allclose(between.angle, rows(fine), atol=1e-6)
    slope = np.gradient(between.angle, fine, axis=0)
    np.testing.assert_allclose(slope[1:-1], between.rate[1:-1], atol=1e-4)
    bend = np.gradient(between.rate, fine, axis=0)
    np.testing.assert_allclose(bend[1:-2], between.acceleration[1:-2], atol=1e-2)


def test_loop_continues_without_a_jump(scene: Scene, tmp_path: Path) -> None:
    looped = with_values(scene, {"gait.loop": True})
    late = np.linspace(1.5, 6.5, 5001)
    reference = registry.create(looped, tmp_path).reference(late, None)
    np.testing.assert_allclose(reference.angle, rows(late), atol=1e-6)
    np.testing.assert_allclose(
        np.gradient(reference.rate, late, axis=0)[1:-1], reference.acceleration[1:-1], atol=2e-2
    )


def test_speed_is_live_and_smooth(scene: Scene, tmp_path: Path) -> None:
    looped = with_values(scene, {"gait.loop": True})
    faster = with_values(looped, {"gait.speed": 2.0, "gait.file": "other.csv"})
    live, waiting = live_scene(looped, faster)
    assert waiting == ["gait.file"]
    assert live.gait.speed == 2.0  # type: ignore[attr-defined]
    gait = registry.create(looped, tmp_path)
    first = gait.reference(np.linspace(0.0, 1.0, 401), None)
    gait.apply(live, 1.0)
    time = np.linspace(1.0, 4.0, 3001)
    then = gait.reference(time, None)
    np.testing.assert_allclose(then.angle[0], first.angle[-1], atol=1e-12)
    np.testing.assert_allclose(then.rate[0], first.rate[-1], atol=1e-9)
    np.testing.assert_allclose(
        np.gradient(then.angle, time, axis=0)[1:-1], then.rate[1:-1], atol=1e-3
    )
    # The ramp of 0.3 s is symmetric: after it the table is 0.15 s behind the position at twice the
    # speed from the beginning.
    np.testing.assert_allclose(
        then.angle[-1], rows(np.array([1.0 + 2.0 * 3.0 - 0.15]))[0], atol=1e-6
    )
    state = decode(encode(gait.checkpoint(), live, 1.0), live)
    again = registry.create(looped, tmp_path)
    again.restore(state)
    np.testing.assert_array_equal(again.reference(time, None).angle, then.angle)


@pytest.mark.parametrize("model", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_start_is_the_first_row(scene: Scene, tmp_path: Path, model: str) -> None:
    of = with_values(scene, {"model.kind": model, "robot.joints": "cardan"})
    if model == "spatial_nonsmooth":
        lines = (tmp_path / "log.csv").read_text().splitlines()
        names = [f"joint_{k + 1}_{kind}_rad" for k in range(JOINTS) for kind in ("yaw", "pitch")]
        doubled = [
            ",".join([row.split(",")[0], *(c for c in row.split(",")[1:] for _ in "ab")])
            for row in lines[1:]
        ]
        (tmp_path / "log.csv").write_text("\n".join([",".join(["time_s", *names]), *doubled]))
    start = initial_joint_angles(of, tmp_path)
    expected = np.repeat(rows()[0], 1 if model == "planar_nonsmooth" else 2)
    np.testing.assert_allclose(start, expected, atol=1e-14)


def test_robot_angles_differ_by_sign_and_zero_only(scene: Scene, tmp_path: Path) -> None:
    own = with_values(scene, {"robot.joint": [{"index": 2, "reversed": True, "zero_deg": 10.0}]})
    angle = joint_table(own, tmp_path).angle
    np.testing.assert_allclose(angle[:, 1], -rows()[:, 1] + np.radians(10.0), atol=1e-14)
    np.testing.assert_allclose(angle[:, ::2], rows()[:, ::2], atol=1e-14)
    text = (tmp_path / "log.csv").read_text().replace("q", "joint_").replace("_rad", "_yaw_rad")
    (tmp_path / "log.csv").write_text(text)  # a run of this program counts as the scene does
    np.testing.assert_allclose(joint_table(own, tmp_path).angle, rows(), atol=1e-14)


def test_check_names_the_problems_of_the_file(scene: Scene, tmp_path: Path) -> None:
    assert not [problem for problem in check(scene, tmp_path) if problem.severity == "error"]
    cases = [
        ({"gait.file": "none.csv"}, "gait.file", "o such file"),
        ({"gait.file": ""}, "gait.file", "o table is chosen"),
        ({"robot.n_links": 5}, "gait.file", "3 columns"),
        ({"robot.joint_limit_deg": 10.0}, "gait.file", "oint 1"),
    ]
    for change, key, message in cases:
        errors = [
            problem
            for problem in check(with_values(scene, change), tmp_path)
            if problem.severity == "error"
        ]
        assert [error.message for error in errors].count(errors[0].message) == 1
        assert any(error.key == key and message in error.message for error in errors)
        with pytest.raises(SceneError, match=message):
            registry.create(with_values(scene, change), tmp_path)


def test_file_is_saved_with_the_scene(scene: Scene, tmp_path: Path) -> None:
    assert list(named_files(scene)) == [("gait.file", "log.csv")]
    sent, files = files_of(scene, tmp_path)
    assert list(files.values()) == [(tmp_path / "log.csv").read_bytes()]
    assert sent.gait.file in files  # type: ignore[attr-defined]


def test_simulated_joints_follow_the_table(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(dump_scene(scene))
    run = ss.simulate(path)
    for k in range(JOINTS):
        expected = rows(run["time_s"])[:, k]
        np.testing.assert_allclose(run[f"joint_{k + 1}_yaw_ref_rad"], expected, atol=1e-6)
        np.testing.assert_allclose(run[f"joint_{k + 1}_yaw_rad"], expected, atol=0.02)
