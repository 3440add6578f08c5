"""Editable values of a scene as properties, and search for them by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel

from snakestudio.kinds.reads import left_out, unused_reason
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.labels import obstacle_mention
from snakestudio.model.scene import Scene

_UNSEEN = ("format", "kind")
"""Fields without a row: the format of the file, and the kind of a part."""


class Property(NamedTuple):
    """Value of a scene."""

    keys: tuple[str, ...]
    """Dotted keys; several for the same value of several obstacles."""

    of: str
    """Name of the part that the value belongs to."""

    doc: FieldDoc
    unused: str = ""
    """Reason why it has no effect in the scene; "" if it has one."""


def properties(scene: Scene, obstacles: Sequence[int] = ()) -> list[Property]:
    """Return all values that apply to the kind of robot of a scene, in the order of the file.

    Parameters
    ----------
    obstacles : sequence of int
        0-based indices of obstacles whose common values come first.
    """
    listed: list[Property] = []
    if obstacles:
        chosen = [scene.obstacles[i] for i in obstacles]
        of = (
            obstacle_mention(chosen[0], obstacles[0])
            if len(chosen) == 1
            else f"{len(chosen)} obstacles"
        )
        for name in type(chosen[0]).model_fields:
            if name not in _UNSEEN and all(name in type(other).model_fields for other in chosen):
                keys = tuple(f"obstacles[{i + 1}].{name}" for i in obstacles)
                listed.append(Property(keys, of, field_doc(type(chosen[0]), name)))

    def walk(part: BaseModel, prefix: str, of: str) -> None:
        for name in type(part).model_fields:
            key = f"{prefix}{name}"
            value = getattr(part, name)
            if isinstance(value, BaseModel):
                label = field_doc(type(part), name).label
                walk(
                    value,
                    f"{key}.",
                    label if not prefix else f"{of}, {label[:1].lower()}{label[1:]}",
                )
            elif name not in _UNSEEN and not left_out(scene, key):
                listed.append(
                    Property((key,), of, field_doc(type(part), name), unused_reason(scene, key))
                )

    walk(scene, "", "Scene")
    return listed


def find(scene: Scene, text: str, obstacles: Sequence[int] = ()) -> list[Property]:
    """Return values whose name, symbol, key, explanation or part contains all words of a text, the best first.

    Parameters
    ----------
    obstacles : sequence of int
        Obstacles as in `properties`.
    """
    terms = text.casefold().split()
    ranked: list[tuple[int, int, Property]] = []
    for order, item in enumerate(properties(scene, obstacles)):
        name = f"{item.doc.label} {item.doc.symbol} {item.keys[0].rpartition('.')[2]}".casefold()
        text_of_all = f"{name} {item.of} {item.keys[0]} {item.doc.help}".casefold()
        if not all(term in text_of_all for term in terms):
            continue
        exact = any(
            term in (item.doc.symbol.casefold(), item.doc.label.casefold()) for term in terms
        )
        rank = 0 if exact else 1 if all(term in name for term in terms) else 2
        ranked.append((rank + (3 if item.unused else 0), order, item))
    return [item for _, _, item in sorted(ranked, key=lambda entry: entry[:2])]
