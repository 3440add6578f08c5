"""Everything a recording has to plot, by name and in the groups of the channel browser.

A name is what is kept of a curve: in layouts, in files, while it is dragged. Which table of the plots holds it, and in
which column, follows from the recording's schema.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from snakestudio.model.columns import filled_columns
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channel_units import unit_of
from snakestudio.viewmodel.plots.channels import CHANNELS, column_key

__all__ = ["Quantity", "catalogue", "families", "link_of"]

_NUMBERED = re.compile(r"(link|joint|section|contact)_(\d+)_(.+)")
_GROUPS = (
    ("contact_", "Contacts"),
    ("contacts_", "Contacts"),
    ("com_", "Centre of mass"),
    ("head_a", "Head"),
    ("energy_", "Energy and work"),
    ("work_", "Energy and work"),
    ("solver_", "Solver"),
    ("resultant_", "Body"),
)
_UNSEEN = frozenset({"time_s"})
_PARTS = {"link": "Links", "joint": "Joints", "section": "Sections", "contact": "Anchors and supports"}
_ORDER = (
    "Centre of mass", "Head", "Links", "Joints", "Contacts", "Sections", "Anchors and supports", "Body",
    "Energy and work", "Solver", "Controller",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that can be plotted.

    Attributes
    ----------
    name : str
        As in a CSV.
    unit : str
    group : tuple of str
        Where it stands in the browser, from the top: ("Links", "Link 6").
    channel : str
        Key of the plots' table that holds it.
    column : int
    """

    name: str
    unit: str
    group: tuple[str, ...]
    channel: str
    column: int


def link_of(name: str) -> tuple[str, int, str] | None:
    """Of what a numbered channel is, its number (1-based) and what of it: ("link", 6, "x_m"); None for any other."""
    found = _NUMBERED.fullmatch(name)
    return None if found is None else (found[1], int(found[2]), found[3])


def _group(name: str, schema: Schema) -> tuple[str, ...]:
    numbered = link_of(name)
    if numbered is not None:
        part, number, _ = numbered
        if part == "link" and schema.sections:
            return "Sections", f"Section {number}"
        return _PARTS[part], f"{part.capitalize()} {number}"
    return (next((group for start, group in _GROUPS if name.startswith(start)), "Controller"),)


@lru_cache(maxsize=8)
def catalogue(schema: Schema) -> dict[str, Quantity]:
    """All of a recording by name, in the order of the browser: the columns of its CSV, and what else plots know of it.

    What the source does not fill is left out.
    """
    found: dict[str, Quantity] = {}
    for name in filled_columns(schema):
        if name not in _UNSEEN:
            found[name] = Quantity(name, unit_of(name), _group(name, schema), column_key((name,)), 0)
    for key, channel in CHANNELS.items():
        if (
            channel.needs not in schema.valid
            or key == "hold_place"
            or (key.startswith("body_") and not schema.sections)
        ):
            continue
        for column, name in enumerate(channel.names(schema)):
            angle = key != "control_angle" or name.removesuffix("_deg") + "_rad" in schema.extra
            pitch = schema.has_pitch or "_pitch_" not in name or not key.startswith("joint_")
            if name not in found and angle and pitch:
                found[name] = Quantity(name, unit_of(name), _group(name, schema), key, column)
    order = {group: place for place, group in enumerate(_ORDER)}
    return dict(sorted(found.items(), key=lambda item: _place(item[1], order)))


def _place(quantity: Quantity, order: dict[str, int]) -> tuple[int, int]:
    numbered = link_of(quantity.name)
    return order[quantity.group[0]], 0 if numbered is None else numbered[1]


def families(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What every link (joint, section, anchor) has, by "link_*_x_m": the names, in the order of their numbers."""
    members: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        numbered = link_of(name)
        if numbered is not None:
            part, number, what = numbered
            members.setdefault(f"{part}_*_{what}", []).append((number, name))
    return {
        family: tuple(name for _, name in sorted(numbered)) for family, numbered in members.items() if len(numbered) > 1
    }
