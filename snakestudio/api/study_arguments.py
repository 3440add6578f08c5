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


def study_values(scene: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a study file.

    Raises `UsageError` if an argument cannot be read; contradictions are detected when the study is
    created.

    Parameters
    ----------
    scene : str
        Scene file, as the study names it.
    arguments : mapping
        Arguments of `Study` by name.
    """
    search = arguments["search"]
    repeats = arguments["repeats"]
    values: dict[str, Any] = {
        "format": FORMAT,
        "scene": scene,
        "title": arguments["title"] or "",
        "vary": _varied(arguments["vary"], arguments["together"]),
        "goals": _list(
            "goals",
            "net_speed" if arguments["goals"] is None else arguments["goals"],
            _GOALS,
            _goal,
        ),
        "limits": _list("limits", arguments["limits"] or (), _LIMITS, _limit),
        "fixed": {key: _plain(one) for key, one in values_of("fixed", arguments["fixed"]).items()},
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
    for name in ("points", "seed", "include_implausible"):
        if arguments[name] is not None:
            values["search"][name] = _plain(arguments[name])
    if arguments["jitter"] is not None:
        values["repeats"]["jitter"] = _list("jitter", arguments["jitter"], _JITTER, _jitter)
    return {name: _plain(one) for name, one in values.items()}


def _plain(value: Any) -> Any:
    """Return the Numpy numbers and arrays as plain Python, and pydantic models as their values."""
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
    name: str, entries: Any, expected: str, entry: Callable[[str, Any], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the tables of a study file from a mapping by key, or from a sequence."""
    if isinstance(entries, str):
        return [entry(entries, None)]
    if isinstance(entries, Mapping):
        if not all(isinstance(about, str) for about in entries):
            raise wrong_kind(name, expected, entries)
        return [entry(about, one) for about, one in entries.items()]
    if not isinstance(entries, Iterable):
        raise wrong_kind(name, expected, entries)
    tables = []
    for one in entries:
        if isinstance(one, BaseModel | Mapping):
            tables.append(_plain(one))
        elif isinstance(one, str):
            tables.append(entry(one, None))
        elif isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str):
            tables.append(entry(*one))
        else:
            raise wrong_kind(name, expected, one)
    return tables


def _varied(variation: Any, together: Any) -> list[dict[str, Any]]:
    varied = _list("vary", variation if variation is not None else (), _VARY, _vary)
    if together is None:
        return varied
    expected = 'keys that move together, such as [("gait.amplitude_deg", "gait.frequency_deg_s")]'
    if isinstance(together, str) or not isinstance(together, Iterable):
        raise wrong_kind("together", expected, together)
    groups = list(together)
    if groups and all(isinstance(key, str) for key in groups):
        groups = [groups]
    names = {one.get("key") or "+".join(one.get("keys", ())): one for one in varied}
    for number, group in enumerate(groups, 1):
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise wrong_kind("together", expected, group)
        for key in group:
            if key not in names:
                raise UsageError(f"together: {key} does not vary. Give it a range in vary.")
            names[key]["together"] = f"group {number}"
    return varied


def _vary(name: str, variation: Any) -> dict[str, Any]:
    keys = [key.strip() for key in name.split("+")]
    about: dict[str, Any] = {"key": keys[0]} if len(keys) == 1 else {"keys": keys}
    if isinstance(variation, Mapping | BaseModel):
        return _table(about, variation)
    if isinstance(variation, tuple):
        numbers = _plain(variation)
        if numbers and numbers[-1] in _SCALES:
            about["scale"] = numbers.pop()
        if len(numbers) in (2, 3) and not any(isinstance(one, str | bool) for one in numbers):
            return about | dict(zip(("low", "high", "steps"), numbers, strict=False))
    elif isinstance(variation, Sequence | np.ndarray) and not isinstance(variation, str | bytes):
        return about | {
            "values": _plain(variation if isinstance(variation, np.ndarray) else list(variation))
        }
    raise UsageError(
        f"vary: {name} = {variation!r} is not a range. Give (low, high), (low, high, steps) or (low, "
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
