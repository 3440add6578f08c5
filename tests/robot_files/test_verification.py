"""Comparison of an imported robot with its file: what is detected, what explains it, and random robots."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import RobotFileError
from snakestudio.model.robot.overrides import JointOverride, LinkOverride
from snakestudio.model.robot.robot import Robot
from snakestudio.robot_files import to_scene
from snakestudio.robot_files.description import Placement, RobotDescription
from snakestudio.robot_files.joint_values import AxisFields
from snakestudio.robot_files.notes import Change, Effect
from snakestudio.robot_files.read import read_robot
from snakestudio.robot_files.to_scene import ImportedRobot, import_robot
from snakestudio.robot_files.verification import differences
from tests.robot_files.parts import WRITERS, Part, links, urdf

MOTORS = {"limits": (-1.2, 1.2), "motor": True}


class Conversion:
    """The values that an import hands to the comparison, each of which a test can change."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = folder / "robot.urdf"
        parts = [
            replace(p, axis=(0.0, float(k % 2), float(1 - k % 2)))
            for k, p in enumerate(links(5, **MOTORS))
        ]
        parts[3] = replace(parts[3], limits=(0.0, 0.0))
        path.write_text(urdf(parts))
        handed: list[Any] = []

        def record(*values: Any) -> list[str]:
            handed.extend(values)
            return differences(*values)

        monkeypatch.setattr(to_scene, "differences", record)
        self.imported: ImportedRobot = import_robot(read_robot(path))
        self.description: RobotDescription = handed[0]
        self.robot: Robot = handed[1]
        self.axes: list[AxisFields] = handed[2]
        self.first: Placement = handed[3]
        self.changes: list[Change] = handed[4]

    def differences(self, *changes: Change) -> str:
        """What differs, with these effects added to those of the import."""
        return "; ".join(
            differences(
                self.description, self.robot, self.axes, self.first, [*self.changes, *changes]
            )
        )


@pytest.fixture
def conversion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Conversion:
    return Conversion(tmp_path, monkeypatch)


def changed(robot: Robot, **values: Any) -> Robot:
    """Return a robot with other values of link 2."""
    tables = [LinkOverride(index=2, **values), *(t for t in robot.link if t.index != 2)]
    return robot.model_copy(update={"link": tuple(tables)})


def test_unchanged_conversion_has_no_difference(conversion: Conversion) -> None:
    assert conversion.differences() == ""


def test_lost_mass_is_detected_unless_a_body_is_left_out(conversion: Conversion) -> None:
    conversion.robot = changed(conversion.robot, mass_kg=0.15)
    assert "its mass is 0.95 kg" in conversion.differences()
    assert "0.8 kg" in conversion.differences(Change(Effect.BODIES_LEFT_OUT, bodies=(4,)))
    assert conversion.differences(Change(Effect.MASSES_CHOSEN)) == ""


def test_lost_axis_is_detected_unless_it_is_left_out(conversion: Conversion) -> None:
    joint = conversion.axes[-1].name
    conversion.robot = conversion.robot.model_copy(
        update={"joint": (*conversion.robot.joint, JointOverride(index=3, axes="fixed"))}
    )
    conversion.axes = conversion.axes[:-1]
    assert joint in conversion.differences()
    assert conversion.differences(Change(Effect.JOINTS_LEFT_OUT, joints=(joint,))) == ""


def test_additional_axis_is_detected(conversion: Conversion) -> None:
    joint = conversion.axes[-1].name
    assert joint in conversion.differences(Change(Effect.JOINTS_LEFT_OUT, joints=(joint,)))


@pytest.mark.parametrize(
    ("values", "effect", "amount"),
    [
        ({"length_m": 0.11}, Effect.JOINT_MOVED, 0.011),
        ({"centre_of_mass_m": 0.03}, Effect.MASS_MOVED, 0.2 * 0.04),
        ({"inertia_kg_m2": 4e-4}, Effect.INERTIA_CHANGED, 3e-4),
    ],
)
def test_changed_link_is_detected_unless_it_is_explained(
    conversion: Conversion, values: dict[str, float], effect: Effect, amount: float
) -> None:
    conversion.robot = changed(conversion.robot, **values)
    assert conversion.differences()
    assert conversion.differences(Change(effect, 0.1 * amount))
    assert conversion.differences(Change(effect, amount)) == ""


def test_changed_pose_at_rest_is_detected_unless_it_is_explained(conversion: Conversion) -> None:
    conversion.axes[0] = replace(conversion.axes[0], zero=conversion.axes[0].zero + 0.1)
    assert "mm from its" in conversion.differences()
    assert conversion.differences(Change(Effect.AXIS_TURNED, 0.01))
    assert conversion.differences(Change(Effect.AXIS_TURNED, 0.1)) == ""


def test_unexplained_difference_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversion that loses a mass without a note is refused with a request to report the file."""
    original = to_scene.link_values

    def lossy(*arguments: Any) -> Any:
        values = original(*arguments)
        values[1].mass *= 0.5
        return values

    monkeypatch.setattr(to_scene, "link_values", lossy)
    from snakestudio.robot_files.importing import load_robot

    path = tmp_path / "robot.urdf"
    path.write_text(urdf(links(4, **MOTORS)))
    with pytest.raises(RobotFileError, match=r"0\.7 kg.*report"):
        load_robot(path)


def test_joints_with_equal_names_are_numbered(tmp_path: Path) -> None:
    """Unnamed joints on one line, at a bend, and one whose name looks like a numbered one."""
    shape = '<geom type="capsule" size="0.02" fromto="0.02 0 0 0.08 0 0"/>'
    joint = '<body pos="0.1 0 0" euler="0 0 40"><joint axis="0 0 1"/>' + shape
    named = '<body pos="0.1 0 0"><joint name="joint on line 1 (2)" axis="0 1 0"/>' + shape
    text = f"<mujoco><worldbody><body><freejoint/>{shape}{joint * 3}{named}{'</body>' * 5}</worldbody></mujoco>"
    path = tmp_path / "robot.xml"
    path.write_text(text)
    imported = import_robot(read_robot(path))
    assert [axis.name for axis in imported.axes] == [
        "joint on line 1",
        "joint on line 1 (3)",
        "joint on line 1 (4)",
        "joint on line 1 (2)",
    ]
    assert [math.degrees(axis.zero) for axis in imported.axes] == pytest.approx([40, 40, 40, 0])


# --- random robots ----------------------------------------------------------------------------------

AXES = st.sampled_from([(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
SIZES = st.floats(0.03, 0.2)


@st.composite
def trees(draw: st.DrawFn) -> list[Part]:
    """Return a chain with fixed parts, wheels, accessories and held joints, in any order of the file."""
    count = draw(st.integers(2, 7))
    parts: list[Part] = []
    extras: list[Part] = []
    length = 0.0
    for k in range(count):
        half = 0.5 * draw(SIZES)
        held = draw(st.booleans()) and 0 < k < count - 1 and count > 3 and k % 3 == 1
        angle = draw(st.floats(-0.3, 0.3))
        limits = (angle, angle) if held else (-1.2, 1.2)
        mass = draw(st.floats(0.1, 1.0))
        name = f"link_{k}"
        axis = (0.0, 0.0, 1.0) if held else draw(AXES)
        parts.append(
            Part(
                name,
                f"link_{k - 1}" if k else "",
                (length, draw(st.floats(-0.004, 0.004)) if axis[1] else 0.0, 0.0),
                axis,
                limits=limits,
                motor=draw(st.booleans()),
                mass=mass,
                centre=(half * draw(st.floats(0.8, 1.2)), 0.0, draw(st.floats(-0.01, 0.01))),
                size=(0.02, 0.8 * half),
                moments=(mass * 2e-4, mass * half**2 / 3 + 1e-4, mass * half**2 / 3 + 1e-4),
            )
        )
        length = 2.0 * half
        extra = draw(st.sampled_from(["", "", "wheel", "camera", "plate", "light"]))
        at = (half, 0.03, 0.0)
        small = {"mass": 0.1 * mass, "centre": (0.0, 0.0, 0.0), "moments": (1e-5,) * 3}
        if extra == "wheel":
            extras.append(
                Part(
                    f"wheel_{k}", name, at, (0.0, 1.0, 0.0), size=(0.03, 0.005), along="y", **small
                )
            )  # type: ignore[arg-type]
        elif extra == "camera":
            extras.append(Part(f"camera_{k}", name, at, motor=True, **small))  # type: ignore[arg-type]
        elif extra == "plate":
            extras.append(Part(f"plate_{k}", name, at, kind="fixed", **small))  # type: ignore[arg-type]
        elif extra == "light":
            extras.append(
                Part(f"flap_{k}", name, at, limits=(-0.5, 0.5), **{**small, "mass": 0.01 * mass})
            )  # type: ignore[arg-type]
    return parts + draw(st.permutations(extras))


@given(parts=trees(), ending=st.sampled_from(["urdf", "sdf"]))
def test_random_robots_keep_masses_and_axes_or_are_refused(
    parts: list[Part], ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"random.{ending}"
    path.write_text(WRITERS[ending](parts))
    from snakestudio.robot_files.importing import load_robot

    try:
        imported = load_robot(path)
    except RobotFileError as error:
        assert "report" not in str(error)  # noqa: PT017
        return
    assert imported.robot.mass == pytest.approx(sum(part.mass for part in parts), rel=1e-5)
    joints = [part for part in parts if part.parent and part.kind == "hinge"]
    left_out = [name for change in imported.changes for name in change.joints]
    assert len(imported.axes) + len(left_out) == len(joints)
    by_name = {part.name: part for part in parts}
    at = {}
    turn: dict[str, float] = {"": 0.0}
    for part in parts:
        # Positions of the joints in the plane, in which only held joints turn a link.
        before = at.get(part.parent, np.zeros(2))
        angle = turn[part.parent]
        c, s = math.cos(angle), math.sin(angle)
        at[part.name] = before + np.array([[c, -s], [s, c]]) @ part.at[:2]
        held = part.limits is not None and part.limits[0] == part.limits[1]
        turn[part.name] = angle + (part.limits[0] if held and part.limits else 0.0)
    moved = sum(
        c.amount for c in imported.changes if c.effect in (Effect.JOINT_MOVED, Effect.AXIS_TURNED)
    )
    inner = [by_name[axis.name.removeprefix("to_")] for axis in imported.axes]
    for one, two, link in zip(inner[:-1], inner[1:], imported.links[1:-1], strict=True):
        if "flap" in one.name + two.name:
            continue
        distance = float(np.linalg.norm(at[two.name] - at[one.name]))
        assert abs(link.length - distance) < 0.005 + moved
