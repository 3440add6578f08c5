"""Conversion of a scene to TOML text on top of its source text, whose unchanged parts are preserved."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Annotated, Any

import pydantic
import tomlkit
from tomlkit.exceptions import TOMLKitError

from snakestudio.errors import SceneError
from snakestudio.model.body import ChainBody, ContinuousBody
from snakestudio.model.obstacles.shape import SHAPES, Obstacle
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.obstacle_text import MARK, split, updated_blocks
from snakestudio.model.scene_file.parse import parse_scene, parse_values
from snakestudio.model.scene_file.toml_merge import merge, tuples

_OBSTACLE: pydantic.TypeAdapter[Obstacle] = pydantic.TypeAdapter(Annotated[Obstacle, SHAPES])


def dump_scene(scene: Scene, base: str | None = None, *, used_only: bool = False) -> str:
    """Return the scene as TOML text, on top of `base` if that can be parsed (its comments and layout are preserved).

    With `used_only` and no base, parts that belong to another kind of body are omitted if they are at
    their defaults.
    """
    if base is not None:
        with contextlib.suppress(TOMLKitError, ValueError, RecursionError):
            text = _over(scene, base)
            # The text on disk must equal the scene in memory for any layout of `base`.
            for candidate in dict.fromkeys((re.sub(r"\n{3,}", "\n\n", text), text)):
                with contextlib.suppress(SceneError):
                    if parse_scene(candidate) == scene:
                        return candidate
    usual = Scene()
    unused = [
        name
        for body in (ChainBody, ContinuousBody)
        if not isinstance(scene.body, body)
        for name in body.tables
    ]
    leave = [name for name in unused if used_only and getattr(scene, name) == getattr(usual, name)]
    return _over(scene, "", leave)


def _over(scene: Scene, base: str, leave: Sequence[str] = ()) -> str:
    values = parse_values(base)
    rest, blocks = split(base)
    entries = values.get("obstacles", [])
    if not isinstance(entries, list):
        raise ValueError("obstacles is not a list")
    document = tomlkit.parse(rest)
    if len(entries) != len(blocks):  # tables in an unexpected layout are rewritten
        document = tomlkit.parse(base)
        blocks = ()
        entries = []
        del document["obstacles"]
    merge(document, scene, explicit=not values, leave=("obstacles", *leave))
    before, mark, after = tomlkit.dumps(document).partition(MARK)
    obstacles = updated_blocks(blocks, [_obstacle(entry) for entry in entries], scene.obstacles)
    if obstacles and before.strip() and not mark:
        before = before.rstrip("\n") + "\n\n"
    if obstacles and after.strip() and not obstacles.endswith("\n\n"):
        obstacles += "\n"
    text = before + obstacles + after
    return text if base.endswith("\n\n") else text.rstrip("\n") + "\n"


def _obstacle(entry: Any) -> Obstacle | None:
    with contextlib.suppress(pydantic.ValidationError, TypeError):
        values = tuples({"kind": "cylinder", **entry})
        return _OBSTACLE.validate_python(SHAPES.unchecked(values))
    return None
