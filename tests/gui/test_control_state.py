"""Status of the controller in the viewport."""

from __future__ import annotations

from dataclasses import replace

import pytest

from snakestudio.gui.viewport.legend import control_state
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.preview import preview

LED = "leader_follower"


def shot(kind: str, control: dict[str, float]) -> Snapshot:
    start = preview(Scene())
    assert start is not None
    return replace(start, control=dict.fromkeys(CONTROLLERS[kind].channels, 0.0) | control)


@pytest.mark.parametrize(
    ("kind", "control", "texts"),
    [
        ("none", {}, []),
        (LED, {"controller_state": 0, "head_side": 1, "jam_count": 0}, ["head turns left"]),
        (
            "leader_follower",
            {"controller_state": 0, "head_side": -1, "jam_count": 1},
            ["head turns right, 1 jam so far"],
        ),
        (
            "leader_follower",
            {
                "controller_state": 0,
                "head_side": 1,
                "jam_count": 2,
                "joint_1_jammed": 0,
                "joint_2_jammed": 1,
            },
            ["head turns left, 2 jams so far", "jammed: joint 2"],
        ),
        (
            "leader_follower",
            {
                "controller_state": 1,
                "head_side": 1,
                "jam_count": 3,
                "joint_1_jammed": 1,
                "joint_2_jammed": 1,
            },
            ["resolving jam 3 of joints 1 and 2"],
        ),
        ("path_following", {"cross_track_m": 0.123}, ["12.3 cm left"]),
        ("path_following", {"cross_track_m": -0.04}, ["4 cm right"]),
        ("path_following", {"cross_track_m": 0.001}, ["on the path"]),
        ("heading", {"heading_rad": 0.1, "heading_ref_rad": 0.5}, ["heading 6°, reference 29°"]),
    ],
)
def test_controller_state_is_shown(kind: str, control: dict[str, float], texts: list[str]) -> None:
    shown = [text for _, text in control_state(shot(kind, control))]
    assert len(shown) == len(texts)
    assert all(text in line for text, line in zip(texts, shown, strict=True))
