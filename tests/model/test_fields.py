"""Units of scene values: exactly the values whose keys end in a unit declare one."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from snakestudio.model.fields import field_doc
from snakestudio.model.registry import options
from snakestudio.model.scene import Scene

UNITS = {
    "m": "m",
    "deg": "°",
    "rad": "rad",
    "s": "s",
    "kg": "kg",
    "hz": "Hz",
    "n": "N",
    "nm": "N m",
    "m_s": "m/s",
    "m_s2": "m/s²",
    "deg_s": "°/s",
    "rad_s": "rad/s",
    "kg_m2": "kg m²",
    "kg_m3": "kg/m³",
    "per_m": "1/m",
    "per_s": "1/s",
    "per_s2": "1/s²",
    "ns_per_m": "N s/m",
    "ns_per_m2": "N s/m²",
    "nm_per_rad": "N m/rad",
    "nms_per_rad": "N m s/rad",
    "rad_per_n": "rad/N",
    "1_s2": "1/s²",
    "deg_s2": "°/s²",
    "links_s": "links/s",
    "per_rad2_s": "1/(rad² s)",
}
"""Units by the ending of a key."""


def parts(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for option in typing.get_args(annotation):
        yield from parts(option)


def all_parts(
    root: type[BaseModel], known: dict[type[BaseModel], None]
) -> dict[type[BaseModel], None]:
    known[root] = None
    for name, field in root.model_fields.items():
        for part in (options(root, name) or dict(enumerate(parts(field.annotation)))).values():
            if part not in known:
                all_parts(part, known)
    return known


@pytest.mark.parametrize("part", all_parts(Scene, {}), ids=lambda part: part.__name__)
def test_unit_is_declared_where_the_key_names_one(part: type[BaseModel]) -> None:
    for name in part.model_fields:
        ending = max((end for end in UNITS if re.search(rf"_{end}$", name)), key=len, default="")
        doc = field_doc(part, name)
        assert doc.unit == UNITS.get(ending, ""), name
        assert not doc.help.endswith(f", {doc.unit}") or not doc.unit, (
            f"{name}: the unit stands behind the value"
        )
