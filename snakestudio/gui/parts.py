"""What a robot is made of, as the window counts and calls it: links, or the cross-sections of a continuous body."""

from __future__ import annotations

from snakestudio.model.scene import Scene

__all__ = ["head_part", "n_parts", "part_name"]


def head_part(scene: Scene) -> int:
    """0-based index of the one at the head."""
    return 0 if scene.model.continuum else scene.robot.head_index


def n_parts(scene: Scene) -> int:
    """Number of links or cross-sections."""
    return scene.beam.sections if scene.model.continuum else scene.robot.n_links


def part_name(scene: Scene) -> str:
    """What one of them is called."""
    return "Section" if scene.model.continuum else "Link"
