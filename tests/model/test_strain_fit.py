"""Strain laws of gaits: joint angles to rounding, patterns that move along the body, and the resulting body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.control.waves import WaveGait
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.robot.joint_strain import joint_motion
from snakestudio.model.robot.strain_fit import as_continuum, fit_error, strain_of_gait
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session import scene_check
from snakestudio.session.offline import run_offline

SIDEWAYS = load_scene(scenes_dir() / "sidewinding.toml")


@pytest.mark.parametrize("head", ["first", "last"])
@pytest.mark.parametrize("shift", [-50.0, 0.0, 35.0, 180.0])
def test_joints_of_the_law_follow_the_gait(head: str, shift: float) -> None:
    """Against the controller that computes the joints' references, with links in the same order."""
    values = {
        "robot.head": head,
        "gait.phase_shift_deg": shift,
        "gait.offset_deg": 7.0,
        "gait.pitch_offset_deg": -2.0,
    }
    values |= {"gait.phase_deg": 25.0, "gait.pitch_amplitude_deg": -10.0}
    scene = with_values(SIDEWAYS, values)
    law, beam = strain_of_gait(scene)
    assert fit_error(scene, law, beam) < 1e-12
    t = np.linspace(0.0, 3.0, 7)
    expected = WaveGait(scene).motion(t)
    result = joint_motion(
        StrainLaw(law, beam), beam.length_m, scene.robot.n_links, scene.robot.axes, t, 12
    )
    for ours, theirs in zip(result, expected, strict=True):
        seen = (
            ours
            if head == "first"
            else (ours.reshape(7, -1, 2)[:, ::-1] * np.array([-1.0, 1.0])).reshape(7, -1)
        )
        assert seen == pytest.approx(theirs, abs=1e-11)


def test_followable_pattern_is_a_function_of_s() -> None:
    """K_t = V_o K', with V_o < 0 (forward) for a wave that runs from the head to the tail."""
    law, beam = strain_of_gait(SIDEWAYS)
    numbers = StrainLaw(law, beam)
    t = np.array([0.0, 1.3])
    x = np.linspace(0.0, beam.length_m, 9)
    field = numbers.at(t, x)
    speed = numbers.speed(t)[0, 0]
    gait = SIDEWAYS.gait
    h = SIDEWAYS.robot.link_length_m
    assert speed == pytest.approx(gait.omega * h / gait.phase_shift)
    assert speed < 0.0
    assert field.rate == pytest.approx(speed * field.slope, abs=1e-12)
    other, _ = strain_of_gait(with_value(SIDEWAYS, "gait.pitch_frequency_deg_s", 17.0))
    assert other.speed_m_s == ""
    assert "s" not in other.k_z_per_m.replace("sin", "")


def test_body_has_the_mass_of_the_chain_and_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = scenes_dir() / "lagrangian_undulation.toml"
    file = tmp_path / "body.toml"
    assert main(["fit-strain", str(source), "--duration", "0.5", "-o", str(file)]) == 0
    output = capsys.readouterr().out
    assert "wrote" in output
    assert "error:" not in output
    scene = load_scene(source)
    result = load_scene(file)
    robot = scene.robot
    beam = result.beam
    assert beam.mass == pytest.approx(robot.n_links * robot.mass_kg)
    assert beam.length_m == pytest.approx(robot.length)
    assert result == with_value(as_continuum(scene, source.parent), "run.duration_s", 0.5)
    assert not [problem for problem in scene_check.check(result) if problem.severity == "error"]
    assert run_offline(result).ok


def test_scene_without_a_gait_has_no_law() -> None:
    with pytest.raises(SceneError, match="already"):
        as_continuum(as_continuum(Scene()))
    with pytest.raises(SceneError, match="no gait"):
        as_continuum(with_value(Scene(), "controller.kind", "leader_follower"))
