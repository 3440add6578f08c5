"""New studies of a scene, from command-line options or clicks."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import pydantic

from snakestudio.errors import Problem, SceneError, StudyError, UsageError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import declared, get_value, with_values
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.toml_merge import tuples
from snakestudio.model.validation_messages import problem_of
from snakestudio.study.description import FORMAT, StudyFields, Vary, problems

_STEPS = 11
_STEPS_NEAR = 5


def range_of(scene: Scene, key: str) -> Vary:
    """Return a varied value of the scene, over the range of its slider, or from half to twice its value.

    A switch varies over off and on, a choice over all its words.

    Raises `SceneError` if there is no such key.
    """
    doc = field_doc(*declared(scene, key))
    present = get_value(scene, key)
    if isinstance(present, bool):
        return Vary(key=key, values=(False, True))
    if isinstance(present, str):
        return Vary(key=key, values=choices_of(scene, key) or (present,))
    if doc.slider is not None:
        low, high = (float(end) for end in doc.slider)
    else:
        middle = float(present) if isinstance(present, int | float) and present else 1.0
        low, high = sorted((0.5 * middle, 2.0 * middle))
    if doc.minimum is not None and low <= doc.minimum and doc.exclusive_minimum:
        low = doc.minimum + 0.01 * (high - doc.minimum)
    return Vary(key=key, low=low, high=high, steps=_STEPS)


def range_near(scene: Scene, key: str) -> Vary:
    """Return a varied value of the scene, from half to one and a half times its value, in five steps.

    It is within the range of the slider as far as the value is; a value of 0 varies as in `range_of`.

    Raises `SceneError` if there is no such key.
    """
    full_range = range_of(scene, key)
    present = get_value(scene, key)
    if full_range.low is None or full_range.high is None or not isinstance(present, int | float):
        return full_range
    low, high = sorted((0.5 * present, 1.5 * present))
    low = max(low, min(full_range.low, present))
    high = min(high, max(full_range.high, present))
    if isinstance(present, int):
        low, high = math.floor(low), math.ceil(high)
    if not low < high:
        low, high = full_range.low, full_range.high
    return full_range.model_copy(update={"low": low, "high": high, "steps": _STEPS_NEAR})


def choices_of(scene: Scene, key: str) -> tuple[str, ...]:
    """Return the choices of a value of the scene, given its other values; empty for free text and for other types.

    Raises `SceneError` if there is no such key.
    """
    declared(scene, key)
    holder, _, name = key.rpartition(".")
    part = get_value(scene, holder) if holder else scene
    values = field_kind(type(part), name).choices
    valid = []
    for choice in FORMULATIONS if key == "model.kind" else values:  # each kind is a separate part
        with contextlib.suppress(SceneError):
            with_values(scene, {key: choice})
            valid.append(str(choice))
    return tuple(valid)


def begun(
    scene: Scene,
    file: str,
    vary: Sequence[str],
    maximise: Sequence[str] = (),
    minimise: Sequence[str] = (),
    search: str = "grid",
    points: int | None = None,
    goals: Sequence[str] = (),
) -> StudyFields:
    """Create a study of a scene.

    Raises `UsageError`, `StudyError` or `SceneError`, naming the invalid value.

    Parameters
    ----------
    file : str
        File of the scene, as written in the study.
    vary : sequence of str
        ``KEY=LOW:HIGH``, ``KEY=LOW:HIGH:STEPS``, the latter with ``:log``, ``KEY=A,B,C``, or ``KEY``;
        if empty, the amplitude of the gait, or the first value of the scene.
    maximise, minimise : sequence of str
        Measures; without any goal the net speed is maximised.
    goals : sequence of str
        Measures that are goals in their natural direction.
    """
    values: dict[str, Any] = {"format": FORMAT, "scene": file, "title": scene.title}
    values["vary"] = [_typed(scene, text) for text in vary or (_usual(scene),)]
    values["goals"] = [
        *({"measure": measure} for measure in goals),
        *({"measure": measure, "aim": "maximise"} for measure in maximise),
        *({"measure": measure, "aim": "minimise"} for measure in minimise),
    ] or [{"measure": "net_speed"}]
    values["search"] = {"kind": search} | ({} if points is None else {"points": points})
    return study_from(values)


def study_from(values: dict[str, Any]) -> StudyFields:
    """Create a study from plain values, as read from TOML.

    Raises `StudyError`, naming every problem.
    """
    try:
        study = StudyFields.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        mistakes = [problem_of(detail, StudyFields) for detail in error.errors(include_url=False)]
        raise _refused(mistakes) from None
    if mistakes := problems(study):
        raise _refused(mistakes)
    return study


def _refused(problems: list[Problem]) -> StudyError:
    return StudyError.of(problems)


def _usual(scene: Scene) -> str:
    for key in (
        "gait.amplitude_deg",
        "gait.yaw_amplitude_deg",
        "strain.amplitude_per_m",
        "ground.mu_along",
    ):
        with contextlib.suppress(SceneError):
            get_value(scene, key)
            return key
    return "ground.mu_along"


def _typed(scene: Scene, text: str) -> dict[str, Any]:
    key, equals, rest = text.partition("=")
    key = key.strip()
    if not equals:
        return range_of(scene, key).model_dump(exclude_defaults=True)
    if "," in rest:
        return {"key": key, "values": [_plain_value(part.strip()) for part in rest.split(",")]}
    *parts, scale = rest.split(":") if rest.endswith(":log") else (*rest.split(":"), "lin")
    try:
        if len(parts) not in (2, 3):
            raise ValueError
        steps = int(parts[2]) if len(parts) == 3 else _STEPS
        return {
            "key": key,
            "low": float(parts[0]),
            "high": float(parts[1]),
            "steps": steps,
            "scale": scale,
        }
    except ValueError:
        raise UsageError(
            f"--vary {text}: write it as KEY=LOW:HIGH:STEPS, such as gait.amplitude_deg=10:60:11, or a list such as"
            " ground.mu_across=0.2,0.8."
        ) from None


def _plain_value(text: str) -> bool | int | float | str:
    """Parse a value of a list as TOML; other text is returned unchanged."""
    for read in (int, float):
        with contextlib.suppress(ValueError):
            return read(text)
    return {"true": True, "false": False}.get(text, text)
