"""Labels in messages of the window, in place of the names that scene files and scripts use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits import get_value
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import field_doc
from snakestudio.model.labels import label_of, obstacle_title
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.field_texts import choice_text

_OBSTACLE = re.compile(r"\b[Oo]bstacle (\d+)\b")
_KEY = re.compile(
    r"\b(?:[a-z][a-z_]*(?:\[\d+\])?(?:\.[a-z][a-z0-9_]*(?:\[\d+\])?)+|obstacles\[\d+\])"
)
_NAME = re.compile(r"(?<![\w./\\-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w./\\-]*\w)")
"""A name with an underscore that is not a part of a file name; other names are words, too."""
_MENTIONED = re.compile(rf" \(({_KEY.pattern})\)")
_SET = re.compile(r'\b([Ss]et "[^"]+") = ')
_EQUAL = re.compile(r'("[^"]+") = ')


def labelled(text: str, scene: Scene, owner: str = "") -> str:
    """Return a sentence with titles instead of numbers of obstacles, and labels instead of names of the file.

    Names are scene keys (``ground.law``), fields of parts (``pitch_deg``) and values of choices
    (``planar_lagrangian``). Their labels are in quotes, except before a colon.

    Parameters
    ----------
    owner : str
        Dotted key of the part that the sentence is about, whose fields come first.
    """

    def title(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        return (
            obstacle_title(scene.obstacles[index], index)
            if 0 <= index < len(scene.obstacles)
            else match[0]
        )

    def quoted(match: re.Match[str], label: str) -> str:
        before = match.string[match.start() - 1 : match.start()]
        after = match.string[match.end() : match.end() + 1]
        return label if after == ":" or (before == after and before in ("'", '"')) else f'"{label}"'

    def label(match: re.Match[str]) -> str:
        named = label_of(scene, match[0])
        return named if named == match[0] else quoted(match, named)

    def without(match: re.Match[str]) -> str:
        """Drop a key in brackets behind its own label."""
        before = match.string[: match.start()]
        return "" if before.endswith(label_of(scene, match[1])) else match[0]

    text = _OBSTACLE.sub(title, text)
    text = _MENTIONED.sub(without, text)
    text = _KEY.sub(label, text)
    if _NAME.search(text):
        labels = _labels(scene, owner)
        text = _NAME.sub(
            lambda match: quoted(match, labels[match[0]]) if match[0] in labels else match[0], text
        )
    return _EQUAL.sub(r"\1: ", _SET.sub(r"\1 to ", text))


def refusal(error: SnakeStudioError, scene: Scene) -> str:
    """Return the message for the field of a scene value that was rejected."""
    problems = getattr(error, "problems", ())
    if not problems:
        return str(error)
    return labelled(problems[0].sentence_for(), scene, problems[0].key.rpartition(".")[0])


def _labels(scene: Scene, owner: str) -> dict[str, str]:
    """Return the labels by names of fields, of values of choices, and of kinds."""
    labels: dict[str, str] = {}
    parts = {type(part): part for part in _parts(scene)}
    try:
        first = get_value(scene, owner) if owner else scene
    except SceneError:
        first = scene
    for part in (type(first), *parts):
        if not issubclass(part, BaseModel):
            continue
        for name in part.model_fields:
            labels.setdefault(name, field_doc(part, name).label)
            for choice in field_kind(part, name).offered:
                if choice is not None:
                    labels.setdefault(str(choice), choice_text(str(choice)))
    labels.update({kind: capitalized(info.name) for kind, info in FORMULATIONS.items()})
    for kinds in (GAIT_KINDS, CONTROLLERS):
        labels.update({kind: info.title for kind, info in kinds.items()})
    return labels


def _parts(part: BaseModel) -> Iterator[BaseModel]:
    """Yield a part of a scene and all parts in it; of obstacles, one of each kind."""
    yield part
    for name in type(part).model_fields:
        value = getattr(part, name)
        inside = {type(each): each for each in (value if isinstance(value, tuple) else (value,))}
        for each in inside.values():
            if isinstance(each, BaseModel):
                yield from _parts(each)
