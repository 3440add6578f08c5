"""Parts of a scene in the tree: their hierarchy, and their titles with the most relevant value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.labels import patch_title
from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground, GroundPatch
from snakestudio.text import exact_text

Part = Literal[
    "robot",
    "links",
    "start",
    "world",
    "ground",
    "path",
    "obstacles",
    "run",
    "beam",
    "strain",
    "support",
]
"""Parts that a scene has once."""

_TREES: Mapping[type[Body], Mapping[Part | None, tuple[Part, ...]]] = {
    ChainBody: {
        None: ("robot", "world", "run"),
        "robot": ("links", "start"),
        "world": ("ground", "path", "obstacles"),
    },
    ContinuousBody: {
        None: ("beam", "world", "run"),
        "beam": ("links", "strain", "support", "start"),
        "world": ("ground",),
    },
}

_STARTS = {
    "straight": "straight",
    "gait": "in the gait's shape",
    "joint_angles": "given joint angles",
    "link_angles": "given link angles",
    "wrapped": "around a post",
    "state": "given state",
    "recording": "from a recording",
}


_SUPPORTS = {
    "friction": "friction",
    "wave_anchors": "anchored where shortest",
    "end_anchors": "head and tail alternately",
    "anchors": "given anchors",
    "rings": "rings",
}


def tree_of(body: type[Body]) -> Mapping[Part | None, tuple[Part, ...]]:
    """Return the children of each part, from the root (None); parts without effect on a body are omitted."""
    return _TREES[body]


def has_part(scene: Scene, part: str) -> bool:
    """Return whether the tree of a scene has a part."""
    return any(part in parts for parts in tree_of(type(scene.body)).values())


def part_text(scene: Scene, part: Part) -> str:
    """Return the title of a part of the scene, such as "Ground · µ 0.2"."""
    match part:
        case "robot":
            return f"Robot · {scene.robot.name}"
        case "links":
            return f"{scene.body.part_noun.capitalize()}s ({scene.body.n_parts})"
        case "start":
            return f"Start · {_STARTS.get(scene.start.kind, scene.start.kind)}"
        case "world":
            return "World"
        case "ground":
            image = " · image" if scene.ground.picture else ""
            return f"Ground · {_friction(scene.ground)}{image}"
        case "path":
            return (
                f"Path · {len(scene.path.waypoints_m)} waypoints" if scene.path else "Path · none"
            )
        case "obstacles":
            return f"Obstacles ({len(scene.obstacles)})"
        case "run":
            return f"Run · {exact_text(scene.run.duration_s)} s"
        case "beam":
            return f"Continuum body · {exact_text(scene.beam.length_m)} m"
        case "strain":
            return f"Strain law · {scene.strain.kind}"
        case "support":
            return f"Contacts of the body · {_SUPPORTS[scene.support.kind]}"


def _friction(surface: Ground | GroundPatch) -> str:
    along, across = exact_text(surface.mu_along), exact_text(surface.mu_across)
    backward = along if surface.mu_backward is None else exact_text(surface.mu_backward)
    if along == across == backward:
        return f"µ {along}"
    return (
        f"µ {along} along, {'' if backward == along else f'{backward} backward, '}{across} across"
    )


def patch_text(patch: GroundPatch, index: int) -> str:
    """Return the title of a ground patch, such as "Ice · µ 0.02"."""
    return f"{patch_title(patch, index)} · {_friction(patch)}"


def part_tip(scene: Scene, part: str) -> str:
    """Return the tooltip of a part of the scene, such as the meaning of the tint of the ground."""
    picture = scene.ground.picture
    if part != "ground" or not picture:
        return ""
    slippery, rough = sorted((picture.black, picture.white))
    return (
        f"Friction image {picture.file}: friction is multiplied by {exact_text(slippery)} where the ground is"
        f" darkest, by {exact_text(rough)} where it is lightest."
    )


def flag_tip(flag: Literal["hidden", "locked"], on: bool) -> str:
    """Return the tooltip of an eye or a lock."""
    if flag == "hidden":
        return "Hidden, but still collides. Click to show" if on else "Click to hide"
    return (
        "Locked against picking and edits in the view. Click to unlock" if on else "Click to lock"
    )


def place_and_size(obstacle: Obstacle) -> str:
    """Return position and size of an obstacle as text."""
    numbers = {
        name: exact_text(value)
        for name in type(obstacle).model_fields
        if isinstance(value := getattr(obstacle, name), int | float)
    }
    return f"x {obstacle.x_m:.3f} m, y {obstacle.y_m:.3f} m, {shape_of(obstacle).sizes.format_map(numbers)}"
