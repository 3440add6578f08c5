"""Conversion of the arguments of `Study` to the values of a study file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel

from snakestudio.errors import UsageError
from snakestudio.model.arguments import values_of, wrong_kind
from snakestudio.study.description import FORMAT

_SCALES = ("lin", "log")
_AIMS = {"maximize": "maximise", "minimize": "minimise", "max": "maximise", "min": "minimise"}

_VARY = (
    'varied values, such as {"gait.amplitude_deg": (10, 60, 11), "ground.mu_across": [0.2, 0.8]}'
)
_GOALS = (
    'goals, such as ["net_speed"] or {"net_speed": "maximise", "cost_of_transport": "minimise"}'
)
_LIMITS = 'limits, such as {"largest_torque": (None, 2.0)}'
_JITTER = 'values that differ between repeats, such as {"ground.mu_along": 0.02}'


def study_values(scene: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a study file.

    Raises `UsageError` if an argument cannot be read; contradictions are detected when the study is
    created.

    Parameters
    ----------
    scene : str
        Scene file, as the study names it.
    given : mapping
        Arguments of `Study` by name.
    """
    search = given["search"]
    repeats = given["repeats"]
    values: dict[str, Any] = {
        "format": FORMAT,
        "scene": scene,
        "title": given["title"] or "",
        "vary": _varied(given["vary"], given["together"]),
        "goals": _list(
            "goals", "net_speed" if given["goals"] is None else given["goals"], _GOALS, _goal
        ),
        "limits": _list("limits", given["limits"] or (), _LIMITS, _limit),
        "fixed": {key: _plain(one) for key, one in values_of("fixed", given["fixed"]).items()},
        "search": dict(search)
        if isinstance(search, Mapping)
        else {}
        if search is None
        else {"kind": search},
        "repeats": dict(repeats)
        if isinstance(repeats, Mapping)
        else {}
        if repeats is None
        else {"count": repeats},
    }
    for name in ("points", "seed"):
        if given[name] is not None:
            values["search"][name] = _plain(given[name])
    if given["jitter"] is not None:
        values["repeats"]["jitter"] = _list("jitter", given["jitter"], _JITTER, _jitter)
    return {name: _plain(one) for name, one in values.items()}


def _plain(value: Any) -> Any:
    """Numpy numbers and arrays as plain Python, and pydantic models as their values."""
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_defaults=True)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple | range) else value


def _table(about: dict[str, Any], more: Any) -> dict[str, Any]:
    added: dict[str, Any] = _plain(more)
    return about | added


def _list(
    name: str, given: Any, wanted: str, entry: Callable[[str, Any], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Tables of a study file from a mapping by key, or from a sequence."""
    if isinstance(given, str):
        return [entry(given, None)]
    if isinstance(given, Mapping):
        if not all(isinstance(about, str) for about in given):
            raise wrong_kind(name, wanted, given)
        return [entry(about, one) for about, one in given.items()]
    if not isinstance(given, Iterable):
        raise wrong_kind(name, wanted, given)
    made = []
    for one in given:
        if isinstance(one, BaseModel | Mapping):
            made.append(_plain(one))
        elif isinstance(one, str):
            made.append(entry(one, None))
        elif isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str):
            made.append(entry(*one))
        else:
            raise wrong_kind(name, wanted, one)
    return made


def _varied(given: Any, together: Any) -> list[dict[str, Any]]:
    varied = _list("vary", given if given is not None else (), _VARY, _vary)
    if together is None:
        return varied
    wanted = 'keys that move together, such as [("gait.amplitude_deg", "gait.frequency_deg_s")]'
    if isinstance(together, str) or not isinstance(together, Iterable):
        raise wrong_kind("together", wanted, together)
    groups = list(together)
    if groups and all(isinstance(key, str) for key in groups):
        groups = [groups]
    names = {one.get("key") or "+".join(one.get("keys", ())): one for one in varied}
    for number, group in enumerate(groups, 1):
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise wrong_kind("together", wanted, group)
        for key in group:
            if key not in names:
                raise UsageError(f"together: {key} does not vary. Give it a range in vary.")
            names[key]["together"] = f"group {number}"
    return varied


def _vary(name: str, given: Any) -> dict[str, Any]:
    keys = [key.strip() for key in name.split("+")]
    about: dict[str, Any] = {"key": keys[0]} if len(keys) == 1 else {"keys": keys}
    if isinstance(given, Mapping | BaseModel):
        return _table(about, given)
    if isinstance(given, tuple):
        numbers = _plain(given)
        if numbers and numbers[-1] in _SCALES:
            about["scale"] = numbers.pop()
        if len(numbers) in (2, 3) and not any(isinstance(one, str | bool) for one in numbers):
            return about | dict(zip(("low", "high", "steps"), numbers, strict=False))
    elif isinstance(given, Sequence | np.ndarray) and not isinstance(given, str | bytes):
        return about | {"values": _plain(given if isinstance(given, np.ndarray) else list(given))}
    raise UsageError(
        f"vary: {name} = {given!r} is not a range. Give (low, high), (low, high, steps) or (low, "
        'high, steps, "log"), or a list of'
        " values."
    )


def _goal(measure: str, aim: Any) -> dict[str, Any]:
    if isinstance(aim, Mapping | BaseModel):
        return _table({"measure": measure}, aim)
    if aim is None:
        return {"measure": measure}
    return {"measure": measure, "aim": _AIMS.get(aim, aim) if isinstance(aim, str) else aim}


def _limit(measure: str, bounds: Any) -> dict[str, Any]:
    if isinstance(bounds, Mapping | BaseModel):
        return _table({"measure": measure}, bounds)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise UsageError(
            f"limits: {measure} = {bounds!r} is not a pair of bounds. Give (at_least, at_most), with None for no bound."
        )
    ends = dict(zip(("at_least", "at_most"), _plain(bounds), strict=True))
    return {"measure": measure} | {name: end for name, end in ends.items() if end is not None}


def _jitter(key: str, spread: Any) -> dict[str, Any]:
    if isinstance(spread, Mapping | BaseModel):
        return _table({"key": key}, spread)
    if isinstance(spread, tuple) and len(spread) == 2:
        return {"key": key, "spread": _plain(spread[0]), "law": spread[1]}
    return {"key": key, "spread": _plain(spread)}
