"""Robots with unequal links and joints, drawn and picked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.drawing import quaternion
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.odometer import Odometer
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.picking import pick
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.model.snapshot import Snapshot

from .scenery import snapshot as snapshot_of

ABOVE = Camera().frame((-0.2, -0.3, 0.0), (1.2, 0.3, 0.1), 16 / 9).standard("top")
PLAIN = Overlays(show_forces=False, show_grid=False)


def scene_of(kind: str = "spatial_nonsmooth", **robot: Any) -> Scene:
    return scene_from_dict({"format": 1, "model": {"kind": kind}, "robot": robot})


def straight(scene: Scene, shift: float = 0.0) -> Snapshot:
    """The robot along x on the ground, with its first joint end at x = shift."""
    links = scene.robot.links
    ends = np.cumsum([shift, *(link.length for link in links)])
    pose = np.zeros((len(links), 7))
    pose[:, 0] = [
        0.5 * (a + b) + link.centre_of_mass
        for a, b, link in zip(ends, ends[1:], links, strict=False)
    ]
    pose[:, 2] = 0.06
    pose[:, 3] = 1.0
    return snapshot_of(pose, with_contacts=False)


def drawn(scene: Scene, overlays: Overlays = PLAIN) -> DrawList:
    return build(scene, straight(scene), overlays, ABOVE)


def direction(row: Any) -> list[float]:
    turned = quaternion.rotate(row[[7, 4, 5, 6]].astype(float), np.array([1.0, 0.0, 0.0]))
    return np.abs(turned).round(6).tolist()


def test_links_have_their_sizes() -> None:
    scene = scene_of(
        n_links=5, link=[{"index": 3, "radius_m": 0.04, "contact_half_length_m": 0.05}]
    )
    rows = np.concatenate([drawn(scene).opaque[mesh] for mesh in ("link", "end_link")])
    rows = rows[np.argsort(rows[:, 0])]
    np.testing.assert_allclose(rows[:, 12], [0.0525, 0.0525, 0.04, 0.0525, 0.0525], rtol=1e-6)
    np.testing.assert_allclose(rows[:, 3], [0.0393, 0.0393, 0.05, 0.0393, 0.0393], rtol=1e-6)


def test_capsule_is_drawn_at_its_centre() -> None:
    scene = scene_of(n_links=3, link=[{"index": 2, "centre_of_mass_m": 0.02}])
    rows = np.concatenate([drawn(scene).opaque[mesh] for mesh in ("link", "end_link")])
    np.testing.assert_allclose(sorted(rows[:, 0]), [0.061, 0.183, 0.305], atol=1e-6)


def test_hinges_show_the_axes_of_their_joints() -> None:
    joints = [
        {"index": 3, "axes": "roll"},
        {"index": 4, "axes": "cardan"},
        {"index": 5, "axes": "fixed"},
    ]
    scene = scene_of(n_links=6, joints="alternating", joint=joints)
    opaque = drawn(scene).opaque
    pins = sorted(opaque["pin"], key=lambda row: row[0])
    assert [direction(row) for row in pins] == [
        [0, 0, 1],  # yaw
        [0, 1, 0],  # pitch
        [0, 0, 1],
        [0, 1, 0],  # cardan
        [1, 0, 0],  # fixed: a band
    ] or [direction(row) for row in pins] == [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    np.testing.assert_allclose(
        [row[0] for row in pins], [0.122, 0.244, 0.488, 0.488, 0.61], atol=1e-6
    )
    (ring,) = opaque["hoop"]
    assert ring[0] == pytest.approx(0.366)
    assert direction(ring) == [1, 0, 0]


def test_planar_robot_has_no_pitch_pins() -> None:
    opaque = drawn(scene_of("planar_nonsmooth", n_links=4)).opaque
    assert [direction(row) for row in opaque["pin"]] == [[0, 0, 1]] * 3


def test_pins_are_between_links_of_unequal_length() -> None:
    scene = scene_of(n_links=2, joints="pitch", link=[{"index": 1, "length_m": 0.3}])
    (pin,) = drawn(scene).opaque["pin"]
    assert pin[0] == pytest.approx(0.3)


def test_links_are_picked_where_they_are_drawn() -> None:
    scene = scene_of(n_links=3, link=[{"index": 2, "radius_m": 0.09}])
    picture = drawn(scene)

    def picked(x: float, y: float) -> int:
        ndc = ABOVE.project(np.array([[x, y, 0.06]]), 16 / 9)[0, :2]
        pick_result = pick(picture, ABOVE, (float(ndc[0]), float(ndc[1])), 16 / 9)
        assert pick_result is not None
        return pick_result.index if pick_result.kind == "link" else -1

    assert picked(0.183, 0.08) == 1
    assert picked(0.03, 0.08) == -1


def test_wheels_turn_by_the_distance_travelled() -> None:
    scene = scene_of(n_links=3, wheels="passive", link=[{"index": 2, "wheels": "none"}])
    assert len(drawn(scene).opaque["wheel"]) == 4
    quarter = 0.5 * math.pi * 0.45 * 0.0525
    rolled = drawn(scene, Overlays(travelled=np.array([quarter, 0.0, 0.0]))).opaque["wheel"]
    spokes = [
        quaternion.rotate(row[[7, 4, 5, 6]].astype(float), np.array([0.0, 0.0, 1.0]))
        for row in rolled
    ]
    turned = [spoke for row, spoke in zip(rolled, spokes, strict=True) if row[0] < 0.1]
    # A spoke that pointed up points forward after a quarter turn.
    np.testing.assert_allclose(turned, [[1, 0, 0]] * 2, atol=1e-6)


def test_wheels_touch_the_ground_with_their_link() -> None:
    (row, *_) = drawn(scene_of(n_links=1, wheels="ratchet")).opaque["wheel"]
    assert row[2] - row[12] == pytest.approx(0.06 - 0.0525)


def test_odometer_adds_up_and_is_restored() -> None:
    scene = scene_of(n_links=3, wheels="passive")
    odometer = Odometer()
    for shift in (0.0, 0.1, 0.3):
        travelled = odometer.travelled(scene, straight(scene, shift))
    np.testing.assert_allclose(travelled, 0.3)
    np.testing.assert_allclose(odometer.travelled(scene, straight(scene, 0.1)), 0.1)


def test_robot_without_wheels_needs_no_odometer() -> None:
    scene = scene_of(n_links=3)
    assert Odometer().travelled(scene, straight(scene)) is None


def test_robot_with_other_links_than_the_scene_is_drawn() -> None:
    before, after = scene_of(n_links=5, wheels="passive"), scene_of(n_links=3, wheels="passive")
    picture = build(after, straight(before), PLAIN, ABOVE)
    assert len(picture.links.known) == 5
