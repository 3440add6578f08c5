"""Selectable items, items picked in the viewport, and items and texts of problems."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from snakestudio.drawing.overlays import Pick
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.model.edits import parse_key
from snakestudio.model.labels import label_of, obstacle_title
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.message_labels import labelled
from snakestudio.viewmodel.scene.scene_texts import has_part

ViewItem = tuple[Literal["obstacle", "link"], int]
"""Item in the viewport: its kind and 0-based index."""

Item = tuple[
    Literal[
        "obstacle",
        "link",
        "patch",
        "robot",
        "beam",
        "strain",
        "support",
        "ground",
        "path",
        "start",
        "run",
    ],
    int,
]
"""Selectable item: its kind and 0-based index (0 if there is only one of its kind)."""

_PARTS: dict[str, Item] = {
    "robot": ("robot", 0),
    "joint_controller": ("robot", 0),
    "beam": ("beam", 0),
    "strain": ("strain", 0),
    "support": ("support", 0),
    "ground": ("ground", 0),
    "start": ("start", 0),
    "run": ("run", 0),
    "solver": ("run", 0),
    "control": ("run", 0),
    "model": ("run", 0),
}


def item_of(picked: Pick | None, displayed: Scene, edited: Scene) -> Item | None:
    """Return the picked item; None for ground, sky, and locked, hidden or past items.

    Parameters
    ----------
    displayed : Scene
        Scene that the viewport draws.
    edited : Scene
        Scene of the document.
    """
    if picked is None or picked.kind not in ("link", "obstacle"):
        return None
    if picked.kind == "obstacle" and len(displayed.obstacles) != len(edited.obstacles):
        return None
    if picked.kind == "link":
        return "link", picked.index
    one = edited.obstacles[picked.index]
    return None if one.locked or one.hidden else ("obstacle", picked.index)


def items_of(problem: Problem) -> list[Item]:
    """Return the items that a problem is about."""
    items: list[Item] = [("obstacle", i) for i in problem.obstacles]
    items += [("link", i) for i in problem.links]
    if items or not problem.key:
        return items
    try:
        path = parse_key(problem.key)
    except SnakeStudioError:
        return []
    if path[0] == "obstacles":
        return [("obstacle", path[1])] if len(path) > 1 and isinstance(path[1], int) else []
    if path[:2] == ("ground", "patch") and len(path) > 2 and isinstance(path[2], int):
        return [("patch", path[2])]
    part = _PARTS.get(str(path[0]))
    return [part] if part is not None else []


def finding_text(problem: Problem, scene: Scene) -> str:
    """Return a problem as a sentence for the window, with titles and labels.

    The key is in the tooltip. On the command line, the same sentence has keys and numbers as in the
    file.
    """
    label = label_of(scene, problem.key)
    about = next(
        (i for item, i in items_of(problem) if item == "obstacle" and i < len(scene.obstacles)),
        None,
    )
    if label == problem.key and about is not None:
        label = obstacle_title(scene.obstacles[about], about)
    text = problem.sentence_for(label)
    if (
        label == problem.key and label not in text
    ):  # the window has no label that the message could name
        text = f"{label}: {text}"
    return labelled(text, scene, problem.key.rpartition(".")[0])


def refusal_text(error: SnakeStudioError, scene: Scene) -> str:
    """Return the reason why an edit was rejected, as a sentence for the window."""
    problems = getattr(error, "problems", ())
    return finding_text(problems[0], scene) if problems else str(error)


def exists(item: Item, scene: Scene) -> bool:
    """Return whether a scene has an item."""
    kind, index = item
    listed = {
        "obstacle": ("obstacles", len(scene.obstacles)),
        "link": ("links", scene.body.n_parts),
        "patch": ("ground", len(scene.ground.patch)),
    }
    part, count = listed.get(kind, (kind, 1))
    return has_part(scene, part) and 0 <= index < count


def renumbered(items: Iterable[Item], before: Scene, after: Scene) -> Iterable[Item]:
    """Yield items with their new indices after obstacles or patches were added or removed.

    Equal obstacles are distinguished by order.
    """
    # Edits reuse unchanged obstacles, so nearly all are matched by identity; comparing thousands
    # is slow.
    old, new = before.obstacles, after.obstacles
    places: dict[int, list[int]] = {}
    for index in reversed(range(len(new))):
        places.setdefault(id(new[index]), []).append(index)
    now: dict[int, int] = {}
    for index, obstacle in enumerate(old):
        same = places.get(id(obstacle))
        if same:
            now[index] = same.pop()
    strangers = sorted(index for same in places.values() for index in same)
    for kind, index in sorted(items):
        if kind == "obstacle" and index not in now:
            equal = next((other for other in strangers if new[other] == old[index]), None)
            if equal is None:
                continue
            strangers.remove(equal)
            now[index] = equal
        if kind == "patch" and before.ground.patch != after.ground.patch:
            patches = after.ground.patch
            if len(before.ground.patch) != len(patches):
                if before.ground.patch[index] in patches:
                    yield kind, patches.index(before.ground.patch[index])
                continue
        yield kind, now[index] if kind == "obstacle" else index
