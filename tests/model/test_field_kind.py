"""Kinds of declared values, by their annotations."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from snakestudio.link.profile.schema import Axis, Bus, Emulation, Message, Plugins, Signal, Step
from snakestudio.model.field_kind import FieldKind, field_kind
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.motion import JointAnglesStart
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.robot.overrides import JointOverride, LinkOverride
from snakestudio.model.robot.robot import Actuator, Robot
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground, GroundPatch


@pytest.mark.parametrize(
    ("model", "name", "kind"),
    [
        (Robot, "n_links", FieldKind("integer")),
        (Actuator, "free_play_deg", FieldKind("number")),
        (Actuator, "max_torque_nm", FieldKind("number", optional=True)),
        (Robot, "name", FieldKind("text")),
        (Step, "raw", FieldKind("text", optional=True)),
        (Robot, "head", FieldKind("choice", choices=("first", "last"))),
        (Ground, "law", FieldKind("choice", True, ("ellipse", "components", "unit_velocity"))),
        (Axis, "sign", FieldKind("choice", choices=(1, -1))),
        (GroundPath, "closed", FieldKind("switch")),
        (Message, "extended", FieldKind("switch", optional=True)),
        (JointAnglesStart, "joint_angles_deg", FieldKind("numbers")),
        (JointAnglesStart, "joint_pitch_deg", FieldKind("numbers", optional=True)),
        (Emulation, "start_delay_s", FieldKind("span")),
        (Signal, "range", FieldKind("span", optional=True)),
        (GroundPatch, "points_m", FieldKind("points")),
        (GroundPath, "waypoints_m", FieldKind("points")),
        (Plugins, "allowed", FieldKind("names")),
        (Step, "signals", FieldKind("pairs")),
        (Bus, "options", FieldKind("pairs")),
        (Message, "signals", FieldKind("parts")),
        (Scene, "ground", FieldKind("parts")),
        (Scene, "start", FieldKind("parts")),
        (Scene, "obstacles", FieldKind("parts")),
        (Scene, "plugin", FieldKind("other")),
        (LinkOverride, "index", FieldKind("other")),
        (HeightField, "heights_m", FieldKind("other", optional=True)),
    ],
)
def test_kind_follows_from_the_annotation(
    model: type[BaseModel], name: str, kind: FieldKind
) -> None:
    assert field_kind(model, name) == kind


def test_only_optional_choices_offer_none() -> None:
    assert field_kind(Robot, "head").offered == ("first", "last")
    assert field_kind(JointOverride, "only").offered == (None, "yaw", "pitch", "roll")
    assert field_kind(Robot, "n_links").offered == ()
    assert field_kind(Robot, "n_links").is_number
