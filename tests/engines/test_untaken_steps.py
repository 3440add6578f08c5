"""A rejected step leaves the state unchanged, so that repeating it gives the result of the first attempt."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.engines.outcome import FAR
from snakestudio.engines.time_stepping import TimeSteppingEngine
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.engines.common import gait_reference, state_of


@pytest.mark.parametrize("name", ["sidewinding", "obstacle_aided", "jam_resolution"])
def test_rejected_far_step_leaves_the_state_unchanged(name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    engine = registry.create(scene)
    reference = gait_reference(scene, 60)
    assert isinstance(engine, TimeSteppingEngine)
    assert engine.advance(reference, 50, ()).ok
    before = state_of(engine)
    engine._params = engine._params._replace(far=1e-12)
    status = engine._run_kernel(reference, 1, np.zeros(0, np.int64), engine._rows)
    assert status == FAR
    after = state_of(engine)
    for field, array, was in zip(after._fields, after, before, strict=True):
        if field != "stick":  # of the step before, which rows alone ask for
            np.testing.assert_array_equal(array, was, err_msg=field)
