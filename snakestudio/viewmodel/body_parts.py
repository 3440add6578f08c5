"""What a robot is made of, as the window counts and calls it: links, or the cross-sections of a continuous body."""

from __future__ import annotations

from snakestudio.model.scene import Scene

__all__ = ["head_part", "n_parts", "part_name", "part_title"]


def head_part(scene: Scene) -> int:
    """0-based index of the one at the head."""
    return 0 if scene.model.continuum else scene.robot.head_index


def n_parts(scene: Scene) -> int:
    """Number of links or cross-sections."""
    return scene.beam.sections if scene.model.continuum else scene.robot.n_links


def part_name(scene: Scene) -> str:
    """What one of them is called."""
    return "Section" if scene.model.continuum else "Link"


def part_title(scene: Scene, index: int) -> str:
    """What a link or cross-section (0-based) is called: "Link 3, the head", "Section 1, the head · X = 0 m"."""
    head = ", the head" if index == head_part(scene) else ""
    if not scene.model.continuum:
        return f"Link {index + 1}{head}"
    return f"Section {index + 1}{head} · X = {scene.beam.length_m * index / (scene.beam.sections - 1):.3g} m"
