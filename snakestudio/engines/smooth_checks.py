"""Limits of the smooth planar models with unequal links and joints (without compiled code)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from snakestudio.engines import checks
from snakestudio.errors import Fix, Problem
from snakestudio.model.robot.overrides import Override, selected, values_of
from snakestudio.model.scene import Scene

OF_JOINTS = frozenset(
    {
        "axes",
        "axis_offset_m",
        "lower_limit_deg",
        "upper_limit_deg",
        "kp_nm_per_rad",
        "kd_nms_per_rad",
        "max_torque_nm",
        "spring_nm_per_rad",
        "damper_nms_per_rad",
        "rest_deg",
        "reversed",
        "zero_deg",
    }
)
"""Fields of joint tables that these models read, or that do not apply to them."""


def joints_without_yaw(scene: Scene) -> list[Problem]:
    """Return the problem of the first joint that cannot turn in the plane."""
    robot = scene.robot
    for k, joint in enumerate(robot.joint_list):
        if "yaw" in joint.axes:
            continue
        number = next(
            (
                number
                for number, override in reversed(list(enumerate(robot.joint, start=1)))
                if override.axes is not None and k in selected(override.index, robot.n_joints)
            ),
            None,
        )
        key = "robot.joints" if number is None else f"robot.joint[{number}].axes"
        what = "is fixed" if not joint.axes else f"has no yaw axis ({joint.name})"
        remedy = "add a yaw axis"
        remedy += ', or set model.kind to "spatial_nonsmooth"'
        message = f"joint {k + 1} {what}, but this model needs joints that turn in the plane"
        return [Problem("error", key, message, remedy, links=(k, k + 1), fixes=(checks.SPATIAL,))]
    return []


def ignored_values(
    scene: Scene, links: Sequence[str] = (), joints: Collection[str] = OF_JOINTS
) -> list[Problem]:
    """Return problems of values in joint tables that are not in `joints`, and of those of link tables in `links`."""
    problems = []
    tables: tuple[tuple[str, Sequence[Override]], ...] = (
        ("joint", scene.robot.joint),
        ("link", scene.robot.link),
    )
    for table, overrides in tables:
        for number, override in enumerate(overrides, start=1):
            if table == "joint" and getattr(override, "only", None) not in (None, "yaw"):
                continue  # axes that do not move in the plane
            for name, field_value in values_of(override):
                if name in links if table == "link" else name not in joints:
                    key = f"robot.{table}[{number}].{name}"
                    remove = Fix("Remove it", ((key, None),))
                    message = f"{field_value} is ignored by this model"
                    problems.append(Problem("warning", key, message, "remove it", fixes=(remove,)))
    return problems


def joint_problems(scene: Scene) -> list[Problem]:
    """Return problems of the joints, for a model that reads all values of a link, and rotors."""
    joints = OF_JOINTS | {"rotor_inertia_kg_m2"}
    return joints_without_yaw(scene) + ignored_values(scene, joints=joints)
