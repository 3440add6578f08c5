"""Edits of single links and joints, and the resulting tables in the scene."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakestudio.errors import SceneError
from snakestudio.model.edits import trimming_note, with_value, with_values
from snakestudio.model.edits.robot_tables import given_values, usual_value, with_part_values
from snakestudio.model.robot.overrides import override_problems
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict


def scene_of(n_links: int = 16, **robot: Any) -> Scene:
    return scene_from_dict(
        {
            "format": 1,
            "model": {"kind": "spatial_nonsmooth"},
            "robot": {"n_links": n_links, **robot},
        }
    )


def tables(scene: Scene, table: str = "link") -> list[dict[str, Any]]:
    overrides = scene.robot.link if table == "link" else scene.robot.joint
    return [override.model_dump(exclude_none=True) for override in overrides]


def edited(
    scene: Scene,
    rows: list[int],
    name: str,
    value: Any,
    table: Any = "link",
    only: str | None = None,
) -> Scene:
    return with_part_values(scene, table, {(row, name): value for row in rows}, only)


def test_value_of_one_link_is_one_table() -> None:
    scene = edited(scene_of(), [0], "mass_kg", 2.0)
    assert tables(scene) == [{"index": 1, "mass_kg": 2.0}]
    assert [link.mass for link in scene.robot.links[:2]] == [2.0, scene.robot.mass_kg]


def test_second_value_of_a_link_is_added_to_its_table() -> None:
    scene = edited(edited(scene_of(), [0], "mass_kg", 2.0), [0], "length_m", 0.2)
    assert tables(scene) == [{"index": 1, "mass_kg": 2.0, "length_m": 0.2}]


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        ([2, 3, 4], "3-5"),
        (list(range(16)), "all"),
        (list(range(0, 16, 2)), "odd"),
        (list(range(1, 16, 2)), "even"),
        ([15], 16),
    ],
)
def test_equal_values_are_one_table(rows: list[int], index: object) -> None:
    scene = scene_of()
    for row in rows:
        scene = edited(scene, [row], "mass_kg", 2.0)
    assert tables(scene) == [{"index": index, "mass_kg": 2.0}]


def test_value_of_the_robot_removes_the_table() -> None:
    scene = edited(scene_of(), [3], "mass_kg", 2.0)
    assert tables(edited(scene, [3], "mass_kg", scene.robot.mass_kg)) == []
    assert tables(edited(scene, [3], "mass_kg", None)) == []


def test_reset_leaves_other_values_of_the_link() -> None:
    scene = scene_of(link=[{"index": 3, "mass_kg": 2.0, "radius_m": 0.04}])
    assert tables(edited(scene, [2], "mass_kg", None)) == [{"index": 3, "radius_m": 0.04}]


def test_exception_follows_the_general_table() -> None:
    scene = scene_of(link=[{"index": "all", "mass_kg": 2.0, "radius_m": 0.04}])
    assert tables(edited(scene, [4], "mass_kg", 3.0)) == [
        {"index": "all", "mass_kg": 2.0, "radius_m": 0.04},
        {"index": 5, "mass_kg": 3.0},
    ]


def test_tables_of_other_values_stay_as_written() -> None:
    written = [
        {"index": "2-5", "radius_m": 0.04},
        {"index": 3, "radius_m": 0.05},
        {"index": "last", "length_m": 0.2},
    ]
    scene = edited(scene_of(link=written), [7], "mass_kg", 3.0)
    assert tables(scene) == [*written, {"index": 8, "mass_kg": 3.0}]


def test_value_equal_to_the_ground_is_omitted() -> None:
    scene = scene_of()
    scene = edited(scene, [1], "mu_across", 0.9)
    assert tables(edited(scene, [1], "mu_across", scene.ground.mu_across)) == []


def test_inertia_follows_mass_unless_it_is_given() -> None:
    scene = scene_of()
    doubled = edited(scene, [1], "mass_kg", 2 * scene.robot.mass_kg)
    assert doubled.robot.links[1].inertia == pytest.approx(2 * scene.robot.inertia_kg_m2)
    same = edited(doubled, [1], "inertia_kg_m2", doubled.robot.links[1].inertia)
    assert tables(same) == tables(doubled)


def test_axes_of_every_other_joint_are_one_table() -> None:
    scene = scene_of(joints="yaw")
    scene = edited(scene, list(range(1, 15, 2)), "axes", "pitch", "joint")
    assert tables(scene, "joint") == [{"index": "even", "axes": "pitch"}]
    assert tables(edited(scene, list(range(1, 15, 2)), "axes", "yaw", "joint"), "joint") == []


def test_gain_of_one_axis_names_the_axis() -> None:
    scene = edited(scene_of(), [2], "kp_nm_per_rad", 100.0, "joint", "pitch")
    assert tables(scene, "joint") == [{"index": 3, "only": "pitch", "kp_nm_per_rad": 100.0}]
    kp = scene.axis_values.kp
    at = [k for k, axis in enumerate(scene.body.axes) if kp[k] == 100.0]
    assert [scene.body.axes[k].name for k in at] == ["joint_3_pitch"]


def test_tables_of_a_removed_axis_are_removed() -> None:
    scene = scene_of(joint=[{"index": 3, "only": "pitch", "kp_nm_per_rad": 100.0}])
    assert tables(edited(scene, [2], "axes", "yaw", "joint"), "joint") == [
        {"index": 3, "axes": "yaw"}
    ]


def test_invalid_value_names_the_link() -> None:
    with pytest.raises(SceneError, match=r"Mass of link 3.*0 kg \(got -1\)"):
        edited(scene_of(), [2], "mass_kg", -1.0)


def test_link_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SceneError, match=r"link.*17"):
        edited(scene_of(), [16], "mass_kg", 1.0)


# --- another number of links ----------------------------------------------------------------------


def test_fewer_links_trim_their_tables() -> None:
    scene = scene_of(
        link=[
            {"index": "2-12", "mass_kg": 2.0},
            {"index": 9, "mass_kg": 3.0},
            {"index": "last", "radius_m": 0.04},
        ],
        joint=[{"index": "5-9", "kp_nm_per_rad": 9.0}, {"index": "3-9", "kp_nm_per_rad": 8.0}],
    )
    fewer = with_value(scene, "robot.n_links", 5)
    assert tables(fewer) == [{"index": "2-5", "mass_kg": 2.0}, {"index": "last", "radius_m": 0.04}]
    assert tables(fewer, "joint") == [{"index": "3-4", "kp_nm_per_rad": 8.0}]
    assert "5 links" in trimming_note(scene, fewer)


def test_adjacent_tables_are_consistent() -> None:
    scene = scene_of(link=[{"index": 4, "mass_kg": 2.0}, {"index": "last", "mass_kg": 3.0}])
    fewer = with_value(scene, "robot.n_links", 4)
    assert tables(fewer) == [{"index": "last", "mass_kg": 3.0}]


def test_tables_that_fit_stay() -> None:
    scene = scene_of(link=[{"index": 2, "mass_kg": 2.0}])
    more = with_values(scene, {"robot.n_links": 20})
    assert more.robot.link == scene.robot.link
    assert trimming_note(scene, more) == ""


def test_one_link_is_left_without_joints() -> None:
    scene = scene_of(joint=[{"index": "all", "axes": "yaw"}, {"index": 2, "axes": "pitch"}])
    assert with_value(scene, "robot.n_links", 1).robot.n_joints == 0


# --- any edits ------------------------------------------------------------------------------------

N = 7
LINK = st.tuples(
    st.sampled_from(["mass_kg", "radius_m", "mu_along", "wheels"]),
    st.sampled_from([None, 0.25, 0.5, 0.6]),
)
INDICES = st.sampled_from(["all", "odd", "even", "first", "last", "2-4", "3-6", 1, 2, 5])
ROWS = st.lists(st.integers(0, N - 2), min_size=1, max_size=N - 1, unique=True)


def _link_value(name: str, value: float | None) -> Any:
    return (
        {None: None, 0.25: "none", 0.5: "passive", 0.6: "ratchet"}[value]
        if name == "wheels"
        else value
    )


@st.composite
def any_scene(draw: st.DrawFn) -> Scene:
    links = [
        {"index": draw(INDICES), name: _link_value(name, value)}
        for name, value in draw(st.lists(LINK.filter(lambda pair: pair[1] is not None), max_size=4))
    ]
    joints = [
        {"index": draw(INDICES.filter(lambda index: index != "3-6" or N > 6)), name: value}
        for name, value in draw(
            st.lists(
                st.sampled_from(
                    [
                        ("axes", "yaw"),
                        ("axes", "roll"),
                        ("kp_nm_per_rad", 5.0),
                        ("kp_nm_per_rad", 800.0),
                        ("rest_deg", 3.0),
                    ]
                ),
                max_size=4,
            )
        )
    ]
    pattern = draw(st.sampled_from(["cardan", "yaw", "alternating"]))
    robot = {"mass_kg": 0.5, "radius_m": 0.05, "link": links, "joint": joints, "joints": pattern}
    if override_problems(
        scene_of(N).robot.model_validate({"n_links": N, **robot}, strict=False).link, N, "link"
    ):
        robot["link"] = []
    if override_problems(
        scene_of(N).robot.model_validate({"n_links": N, **robot}, strict=False).joint,
        N - 1,
        "joint",
    ):
        robot["joint"] = []
    return scene_of(N, **robot)


@settings(max_examples=150, deadline=None)
@given(any_scene(), st.lists(st.tuples(LINK, ROWS), min_size=1, max_size=4))
def test_links_have_exactly_the_given_values(scene: Scene, edits: list[Any]) -> None:
    for (name, given_value), rows in edits:
        value = _link_value(name, given_value)
        before = {
            each: given_values(scene.robot, "link", each)
            for each in ("mass_kg", "radius_m", "mu_along", "wheels")
        }
        after = edited(scene, rows, name, value)
        for row, link in enumerate(after.robot.links):
            values = {
                "mass_kg": link.mass,
                "radius_m": link.radius,
                "wheels": link.wheels,
                "mu_along": link.mu_along,
            }
            old = scene.robot.links[row]
            same = {
                "mass_kg": old.mass,
                "radius_m": old.radius,
                "wheels": old.wheels,
                "mu_along": old.mu_along,
            }
            if row in rows:
                usual = usual_value(scene, "link", row, name)
                expected = usual if value is None else value
                actual = (
                    usual_value(after, "link", row, name) if values[name] is None else values[name]
                )
                assert actual == expected
            for each in same:
                if each != name or row not in rows:
                    assert values[each] == same[each]
        for each in before:
            if each != name:
                assert given_values(after.robot, "link", each) == before[each]
        scene = after


@settings(max_examples=150, deadline=None)
@given(
    any_scene(),
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    ("kp_nm_per_rad", 5.0),
                    ("kp_nm_per_rad", 800.0),
                    ("kp_nm_per_rad", None),
                    ("rest_deg", 4.0),
                    ("rest_deg", None),
                ]
            ),
            ROWS,
            st.sampled_from([None, None, "yaw", "pitch"]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_axes_have_exactly_the_given_values(scene: Scene, edits: list[Any]) -> None:
    for (name, value), rows, only in edits:
        after = edited(scene, rows, name, value, "joint", only)
        assert after.robot.axes == scene.robot.axes
        for k, axis in enumerate(scene.robot.axes):
            is_given = axis.joint in rows and only in (None, axis.kind)
            old, new = scene.axis_values, after.axis_values
            usual = usual_value(scene, "joint", axis.joint, "kp_nm_per_rad", axis.kind)
            kp = (
                old.kp[k]
                if not is_given or name != "kp_nm_per_rad"
                else usual
                if value is None
                else value
            )
            rest = (
                old.rest[k]
                if not is_given or name != "rest_deg"
                else pytest.approx((value or 0.0) * 0.0174532925199)
            )
            assert new.kp[k] == kp
            assert new.rest[k] == rest
        scene = after


@settings(max_examples=100, deadline=None)
@given(any_scene(), ROWS, st.sampled_from(["yaw", "pitch", "fixed", "cardan", None]))
def test_joints_have_exactly_the_given_axes(
    scene: Scene, rows: list[int], axes: str | None
) -> None:
    after = edited(scene, rows, "axes", axes, "joint")
    for joint in range(N - 1):
        usual = usual_value(scene, "joint", joint, "axes")
        expected = (axes or usual) if joint in rows else scene.robot.joint_list[joint].name
        assert after.robot.joint_list[joint].name == expected


@settings(max_examples=100, deadline=None)
@given(any_scene(), st.integers(1, 12))
def test_any_number_of_links_is_accepted(scene: Scene, n_links: int) -> None:
    after = with_value(scene, "robot.n_links", n_links)
    for row in range(min(n_links, N) - 1):  # the last link can be called "last"
        for name in ("mass_kg", "radius_m"):
            assert (row, "") not in given_values(after.robot, "link", name) or (
                given_values(after.robot, "link", name)[row, ""]
                == given_values(scene.robot, "link", name).get((row, ""), None)
            )
