"""Properties of a robot's body, for both kinds."""

import math

import numpy as np
import pytest

from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.edits import with_values
from snakestudio.model.motion import (
    GaitStart,
    JointAnglesStart,
    LinkAnglesStart,
    RecordingStart,
    StateStart,
    StraightStart,
)
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.robot import Robot
from snakestudio.model.robot.support import Friction, Rings
from snakestudio.model.scene import Scene
from tests.wording import naming

CHAIN = ChainBody(
    Robot(n_links=5, link_length_m=0.2, radius_m=0.03, contact_half_length_m=0.06, head="last")
)
ROD = ContinuousBody(Beam(length_m=1.2, radius_m=0.03, sections=7), Rings())

TABLE = {
    "part_noun": ("link", "cross-section"),
    "part_name": ("Link", "Section"),
    "tables": (
        ("gait", "controller", "joint_controller", "actuator"),
        ("beam", "strain", "support"),
    ),
    "jointed": (True, False),
    "strained": (False, True),
    "meets_obstacles": (True, False),
    "n_parts": (5, 7),
    "n_joints": (4, 0),
    "axes": (tuple((k, "yaw") for k in range(4)), ()),
    "head_part": (4, 0),
    "head_last": (True, False),
    "length": (1.0, 1.2),
    "mass": (5 * 0.6818181818181818, 1000.0 * math.pi * 0.03**2 * 1.2),
    "radius": (0.03, 0.03),
    "sizes": None,
    "mass_shares": ((), ()),
    "reach": (0.09, 0.045),
    "pointer": (0.2, 0.12),
    "abscissas": ((), pytest.approx((0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2))),
    "slides": (True, False),
    "in_space": (False, True),
}


@pytest.mark.parametrize(("body", "column"), [(CHAIN, 0), (ROD, 1)])
def test_properties(body: Body, column: int):
    queries = {
        name for name in vars(Body) if not name.startswith("_") and not callable(vars(Body)[name])
    }
    annotated = {name for name in Body.__annotations__ if not name.startswith("_")}
    assert queries | annotated == set(TABLE)
    for name, values in TABLE.items():
        if values is None:
            continue
        expected = values[column]
        assert getattr(body, name) == (
            pytest.approx(expected) if isinstance(expected, float) else expected
        ), name


def test_sizes_are_those_of_every_part():
    links = [
        {"index": 2, "radius_m": 0.04, "contact_half_length_m": 0.05, "centre_of_mass_m": 0.01}
    ]
    body = ChainBody(
        Robot.model_validate({"n_links": 3, "radius_m": 0.03, "link": links}, strict=False)
    )
    np.testing.assert_allclose(body.sizes.radius, [0.03, 0.04, 0.03])
    np.testing.assert_allclose(body.sizes.half_length, [0.0393, 0.05, 0.0393])
    np.testing.assert_allclose(body.sizes.middle, [0.0, -0.01, 0.0])
    assert (body.radius, body.reach) == (0.04, pytest.approx(0.1))
    assert ROD.sizes.radius.tolist() == [0.03] * 7
    assert len(body.sizes.of(5).radius) == 5


def test_outline_surrounds_the_capsule_not_the_centre_of_mass():
    body = ChainBody(
        Robot.model_validate(
            {"n_links": 1, "link": [{"index": 1, "centre_of_mass_m": 0.01}]}, strict=False
        )
    )
    (outline,) = body.outlines(np.array([[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(outline.points[:, 0], [1.0 - 0.01 - 0.0393, 1.0 - 0.01 + 0.0393])


def test_parts_have_titles_and_entries():
    assert [CHAIN.part_title(i) for i in (0, 4)] == ["Link 1", "Link 5, the head"]
    assert [CHAIN.part_entry(i) for i in (0, 4)] == ["Link 1", "Link 5 · head"]
    assert [ROD.part_title(i) for i in (0, 1)] == [
        "Section 1, the head · X = 0 m",
        "Section 2 · X = 0.2 m",
    ]
    assert [ROD.part_entry(i) for i in (0, 1)] == ["Section 1 · head", "Section 2 · X = 0.200 m"]


def test_either_end_may_be_the_head():
    front = ChainBody(Robot(n_links=5, link_length_m=0.2))
    assert (front.head_part, front.pointer) == (0, -0.2), (
        "the first link's x axis points away from the head"
    )


def test_outlines_omit_unknown_parts():
    pose = np.zeros((7, 7))
    pose[:, 0] = 0.2 * np.arange(7.0)
    pose[:, 3] = 1.0
    links = CHAIN.outlines(pose[:5])
    between = ROD.outlines(pose)
    assert [one.radius for one in (*links, *between)] == [0.03] * 11
    np.testing.assert_allclose(links[1].points, [(0.14, 0.0), (0.26, 0.0)])
    np.testing.assert_allclose(between[1].points, [(0.2, 0.0), (0.4, 0.0)])
    pose[2] = np.nan
    assert (len(CHAIN.outlines(pose[:5])), len(ROD.outlines(pose))) == (4, 5)
    assert CHAIN.outlines(pose[2:3]) == ROD.outlines(pose[2:3]) == ()


def test_unsuitable_starts_are_refused():
    state = StateStart(
        position_m=((0.0, 0.0, 0.0),) * 5, orientation_wxyz=((1.0, 0.0, 0.0, 0.0),) * 4
    )
    assert [problem.sentence() for problem in CHAIN.start_problems(state)] == [
        naming("start.orientation_wxyz: 4", "for 5")
    ]
    keys = [
        problem.key
        for problem in CHAIN.start_problems(JointAnglesStart(link=6, joint_angles_deg=(0.0,) * 5))
    ]
    assert keys == ["start.link", "start.joint_angles_deg"]
    assert ROD.start_problems(state) == []
    angles = (
        JointAnglesStart(joint_angles_deg=(0.0,) * 4),
        LinkAnglesStart(link_angles_deg=(0.0,) * 5),
    )
    lost = (state, RecordingStart(file="run.csv"))
    assert {CHAIN.unplaced(start) for start in (*angles, *lost)} == {""}
    assert {ROD.unplaced(start) for start in (StraightStart(), GaitStart())} == {""}
    assert {ROD.unplaced(start) for start in angles} == {"gives no direction for a continuous body"}
    assert {ROD.unplaced(start) for start in lost} == {"does not place a continuous body"}


def test_scene_has_the_body_of_its_formulation():
    assert Scene().body == ChainBody(Robot())
    assert with_values(Scene(), {"model.kind": "spatial_nonsmooth"}).body == ChainBody(
        Robot(), in_space=True
    )
    loose = with_values(
        Scene(), {"model.kind": "continuum_beam", "support": {"kind": "friction"}}
    ).body
    assert loose == ContinuousBody(Beam(), Friction())
    assert loose.slides
