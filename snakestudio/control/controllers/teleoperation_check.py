"""What is wrong or doubtful in a scene whose robot is driven by hand or by a program."""

from __future__ import annotations

from snakestudio.errors import Fix, Problem
from snakestudio.model.controllers import Teleoperation
from snakestudio.model.gaits import GAITS
from snakestudio.model.motion import JointTorque
from snakestudio.model.scene import Scene
from snakestudio.model.teleop import OWN_GAIT, steerable_gaits

__all__ = ["check"]


def _gait(scene: Scene) -> list[Problem]:
    """Whether the gait can be driven ahead."""
    waves = [scene.gait.yaw, *([scene.gait.pitch] if scene.model.spatial else [])]
    if any(wave.amplitude and wave.omega for wave in waves):
        return []
    still = any(wave.amplitude for wave in waves)
    key = "gait.frequency_deg_s" if still else "gait.amplitude_deg"
    message = (
        "the gait stands still, so nothing says which way is ahead" if still else "the gait has no amplitude to drive"
    )
    return [Problem("warning", key, message, "give another value than 0, or drive a gait of the library")]


def _reach(scene: Scene, law: Teleoperation) -> list[Problem]:
    """Whether full turn goes beyond the joints' stops."""
    limit, gait = scene.robot.joint_limit_deg, scene.gait
    assert not isinstance(gait, JointTorque)
    reach = abs(gait.amplitude_deg) + abs(gait.offset_deg)
    if limit is None or reach > limit or reach + law.max_offset_deg <= limit + 1e-9:
        return []
    room = limit - reach
    return [
        Problem(
            "warning",
            "controller.max_offset_deg",
            f"the gait reaches {reach:g}° and full turn adds {law.max_offset_deg:g}°, but the joints' stops are at"
            f" {limit:g}°",
            f"give at most {room:g}",
            fixes=(Fix(f"Turn by {room:g}° at most", (("controller.max_offset_deg", room),)),),
        )
    ]


def _program(scene: Scene, law: Teleoperation) -> list[Problem]:
    """Whether the program can be followed."""
    problems, before = [], 0.0
    possible, known = steerable_gaits(scene), {entry.name for entry in GAITS} | {OWN_GAIT}
    for number, entry in enumerate(law.program, 1):
        key = f"controller.program[{number}]"
        if entry.time_s < before:
            message = f"{entry.time_s:g} s comes after {before:g} s in the list"
            problems.append(Problem("error", f"{key}.time_s", message, "put the commands in the order of their times"))
        before = max(before, entry.time_s)
        if entry.gait is not None and entry.gait not in possible:
            listed = ", ".join(possible)
            why = (
                "this robot cannot do it (it needs a vertical wave, or goes beyond the joints' stops)"
                if entry.gait in known
                else "there is no such gait"
            )
            problems.append(Problem("error", f"{key}.gait", f'"{entry.gait}": {why}', f"give one of {listed}"))
    return problems


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, which is teleoperated."""
    law = scene.controller
    assert isinstance(law, Teleoperation)
    return _gait(scene) + _reach(scene, law) + _program(scene, law)
