"""Values of live parts that a run adopts only at its next start."""

from __future__ import annotations

from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.live_edit import live_scene


def test_run_keeps_its_rotor_inertia() -> None:
    before = load_scene(scenes_dir() / "sidewinding.toml")
    friction = with_values(before, {"actuator.dry_friction_nm": 0.1})
    after = with_values(friction, {"actuator.rotor_inertia_kg_m2": 1e-3})
    assert live_scene(before, after) == (friction, ["actuator.rotor_inertia_kg_m2"])
