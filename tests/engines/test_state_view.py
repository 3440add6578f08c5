"""Views of the state for controllers: the bits of a snapshot in any order of access, and never of another time."""

from __future__ import annotations

from dataclasses import asdict, fields

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.session.runner import Runner
from tests.engines.common import state_of, still

SCENES = ("path_following", "jam_resolution", "obstacle_aided_small", "alternating_16")
ORDERS = (
    ("link_pose", "joint_angle"),
    ("joint_rate", "energy"),
    ("contacts", "link_twist"),
    ("solver", "joint_torque"),
)


@pytest.mark.parametrize("scene", SCENES)
def test_view_has_the_bits_of_a_snapshot_in_any_order(scene: str) -> None:
    runner = Runner(load_scene(scenes_dir() / f"{scene}.toml"))
    runner.advance(7 * runner.scene.steps_per_period)
    snapshot = runner.engine.snapshot()
    for first in ORDERS:
        view = runner.engine.look()
        values = {
            name: getattr(view, name)
            for name in (*first, *(field.name for field in fields(Snapshot)))
        }
        np.testing.assert_equal(asdict(Snapshot(**values)), asdict(snapshot))
    view = runner.engine.look()
    assert view.n_links == snapshot.n_links
    np.testing.assert_array_equal(view.centre_of_mass, snapshot.centre_of_mass)
    assert Fields.CONTACTS in view.valid


def test_read_values_stay_and_late_reads_are_reported() -> None:
    engine = registry.create(load_scene(scenes_dir() / "path_following.toml"))
    view = engine.look()
    pose = view.link_pose
    copy = view.link_pose.copy()
    assert engine.advance(still(engine.scene), 50).ok
    assert view.link_pose is pose
    np.testing.assert_array_equal(pose, copy)
    assert not np.array_equal(engine.look().link_pose, copy), "the robot has moved"
    with pytest.raises(
        RuntimeError,
        match=r"^joint_angle.*= 0",
    ):
        _ = view.joint_angle
    with pytest.raises(AttributeError, match="has no 'joint_angles'"):
        _ = view.joint_angles  # type: ignore[attr-defined]


def test_views_do_not_change_the_engine() -> None:
    scene = load_scene(scenes_dir() / "jam_resolution.toml")
    looked = registry.create(scene)
    alone = registry.create(scene)
    for engine in (looked, alone):
        for _ in range(5):
            engine.advance(still(scene), 20)
            if engine is looked:
                view = engine.look()
                assert len(view.link_pose) == len(view.joint_angle) + 1
    for one, other in zip(state_of(looked), state_of(alone), strict=True):
        np.testing.assert_array_equal(one, other)
