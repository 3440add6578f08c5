"""The gait library: every gait can be used in any scene, and by the joints of a real robot."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.control.waves import WaveGait
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS, GaitPreset
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.scene import Scene


def test_names_are_unique_and_explanations_are_one_line() -> None:
    assert (
        len({preset.name for preset in GAITS})
        == len({preset.title for preset in GAITS})
        == len(GAITS)
    )
    for preset in GAITS:
        assert preset.explanation.endswith(".")
        assert "\n" not in preset.explanation


@pytest.mark.parametrize("preset", GAITS, ids=lambda preset: preset.name)
def test_gait_can_be_used_in_any_scene(preset: GaitPreset) -> None:
    for other in GAITS:
        scene = with_values(with_values(Scene(), other.values()), preset.values())
        assert scene.gait == preset.gait
        assert scene.control.soft_start_deg == preset.soft_start_deg


OF_AIKO = [preset for preset in GAITS if isinstance(preset.gait, LateralUndulation)]


@pytest.mark.parametrize("preset", OF_AIKO, ids=lambda preset: preset.name)
def test_joints_of_a_real_robot_can_follow(preset: GaitPreset) -> None:
    # 45 degrees in either direction, and 180 degrees per second, for eleven links (P1, VIII-C: Aiko
    # has ten cardan joints).
    angle, rate, _ = WaveGait(with_values(Scene(), preset.values())).motion(np.arange(0, 15, 0.005))
    assert np.degrees(np.abs(angle)).max() <= 45.0
    assert np.degrees(np.abs(rate)).max() <= 180.0
