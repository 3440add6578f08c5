"""The gait of an imported robot suits its axes and its friction, moves it in a simulation, or a note states why not."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.scene import Scene
from snakestudio.paths import resource
from snakestudio.robot_files.to_scene import ImportedRobot, new_scene
from snakestudio.session import imported_scene
from snakestudio.session.gait_trial import GaitTrial, try_gait
from snakestudio.session.imported_scene import FAR, verified
from tests.robot_files.parts import links, mjcf
from tests.robot_files.robots import imported

YAW, PITCH = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
MOTORS: dict[str, Any] = {"limits": (-1.2, 1.2), "motor": True}
COUNT = 10


def robot(folder: Path, axes: list[Any], **values: Any) -> ImportedRobot:
    """Return a robot of ten links of 0.1 m, whose joints turn about these axes in turn."""
    parts = [
        replace(part, axis=axes[k % len(axes)])
        for k, part in enumerate(links(COUNT, **(MOTORS | values)))
    ]
    return imported(folder, mjcf(parts), "robot.xml")


def scene_of(result: ImportedRobot) -> Scene:
    return new_scene(result, "", "")


@pytest.mark.parametrize(
    ("axes", "titles"),
    [
        ([YAW, PITCH], ["Sidewinding", "Lateral rolling"]),
        ([PITCH], ["Vertical wave"]),
        ([YAW], ["Lateral undulation"]),
    ],
)
def test_axes_and_friction_decide_the_gaits(
    tmp_path: Path, axes: list[Any], titles: list[str]
) -> None:
    result = robot(tmp_path, axes)
    assert [gait.title for gait in result.gaits] == titles
    assert scene_of(result).gait == result.gaits[0].gait
    proposed = verified(result, scene_of(result), trial=lambda scene, **_: GaitTrial(1.0, 6.0))
    assert proposed.notes[0].startswith(f"The gait is {titles[0].lower()}, because the robot has")
    assert "10 body lengths in 10 s" in proposed.notes[1]


def trials(*speeds: float) -> Any:
    """Return a replacement of the simulations, with these speeds in turn."""
    number = count()
    return lambda scene, **_: GaitTrial(speeds[next(number)], 6.0)


def test_first_gait_that_moves_the_robot_is_chosen(tmp_path: Path) -> None:
    result = robot(tmp_path, [YAW, PITCH])
    first, second = result.gaits
    length = scene_of(result).robot.length
    enough, little = FAR * length / 10.0, 0.1 * FAR * length / 10.0

    def chosen(*speeds: float) -> tuple[str, str]:
        proposed = verified(result, scene_of(result), trial=trials(*speeds))
        return proposed.proposal.title, " ".join(proposed.notes)

    assert chosen(enough)[0] == first.title
    title, notes = chosen(little, enough)
    assert title == second.title
    assert "by 0.2 body lengths in 10 s, sidewinding by 0.02." in notes
    title, notes = chosen(2.0 * little, little)
    assert title == first.title
    assert "joint_controller.kp_nm_per_rad" in notes


def test_reasons_of_slow_robots_are_named(tmp_path: Path) -> None:
    def reason(result: ImportedRobot, **ground: Any) -> str:
        scene = scene_of(result)
        scene = scene.model_copy(update={"ground": scene.ground.model_copy(update=ground)})
        rest = lambda scene, **_: GaitTrial(0.0, 6.0)  # noqa: E731
        return verified(result, scene, trial=rest).notes[-1]

    assert "cannot lift links" in reason(robot(tmp_path, [YAW]))
    assert "no gravity" in reason(robot(tmp_path, [YAW, PITCH]), gravity_m_s2=0.0)
    slow = robot(tmp_path, [YAW, PITCH])
    slow = replace(slow, axes=tuple(replace(axis, max_speed=0.1) for axis in slow.axes))
    assert "5.73°/s" in reason(slow)


def test_rule_decides_without_a_compiled_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imported_scene, "is_prepared", lambda kind: False)
    result = robot(tmp_path, [YAW, PITCH])
    proposed = verified(result, scene_of(result), trial=trials())
    assert proposed.proposal is result.gaits[0]
    assert "not compiled" in proposed.notes[-1]


def test_trial_stops_at_its_budget(tmp_path: Path) -> None:
    """The clock advances by 0.5 s with each reading: 2 s are three looks after the first."""
    scene = scene_of(robot(tmp_path, [YAW, PITCH]))
    ticks = count(0)
    result = try_gait(scene, now=lambda: 0.5 * next(ticks))
    assert not result.is_known
    assert result.simulated_s == pytest.approx(0.3)
    proposed = verified(
        robot(tmp_path, [YAW, PITCH]), scene, trial=lambda *_, **__: GaitTrial(0.1, 0.3)
    )
    assert "takes long" in proposed.notes[-1]
    assert not try_gait(scene, stopped=lambda: True).is_known


def test_trial_gives_the_speed_of_the_run(tmp_path: Path) -> None:
    """The mean speed over a period of the gait, 4.5 s, compared with that of a run of two periods."""
    scene = scene_of(robot(tmp_path, [YAW, PITCH]))
    result = try_gait(scene, now=lambda: 0.0)

    assert result.is_known
    assert result.simulated_s == pytest.approx(6.0)
    assert result.speed > FAR * scene.robot.length / 10.0


def moved(scene: Scene) -> float:
    """Body lengths that the middle of a robot moves in 10 s."""
    run = ss.open_simulation(scene)
    first = run.state.link_pose[:, :2].mean(axis=0)
    while run.time < 10.0 - 1e-6:
        run.step()
    away = run.state.link_pose[:, :2].mean(axis=0) - first
    return float(np.linalg.norm(away)) / scene.robot.length


@pytest.mark.parametrize("kind", ["modules", "pitch", "yaw", "bundled"])
def test_imported_robot_moves_or_a_note_says_why_not(tmp_path: Path, kind: str) -> None:
    if kind == "bundled":
        path = resource("robots", "eight_modules.urdf")
    else:
        axes = {"modules": [YAW, PITCH], "pitch": [PITCH], "yaw": [YAW]}[kind]
        parts = [
            replace(part, axis=axes[k % len(axes)]) for k, part in enumerate(links(COUNT, **MOTORS))
        ]
        path = tmp_path / "robot.xml"
        path.write_text(mjcf(parts))
    result = ss.import_robot(path)
    assert any(note.startswith("The gait is ") for note in result.notes)
    explained = any("moves slowly" in note or "moves it far" in note for note in result.notes)
    assert explained == (kind == "yaw")
    assert explained or moved(result.scene) > FAR
