"""Declaration of scene values: unit, range, default, help text and symbol are declared with the value.

The inspector, the panels, `snakestudio check` and the documentation read these declarations.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from pydantic._internal._model_construction import ModelMetaclass  # the type has no public name
from pydantic.fields import FieldInfo

from snakestudio.text import capitalized


class _TakesNumpy(ModelMetaclass):
    """Accept numpy numbers and arrays in constructors, for scripts.

    A pydantic validator could do that, too, but it would be less strict about values from JSON, and
    slower.
    """

    def __call__(self, *args: Any, **values: Any) -> Any:
        own = {
            k: _tuples(v.tolist()) if isinstance(v, np.generic | np.ndarray) else v
            for k, v in values.items()
        }
        return super().__call__(*args, **own)


class Frozen(BaseModel, metaclass=_TakesNumpy):
    """Base class of all parts of a scene: immutable, strict about types, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    optional: ClassVar[bool] = False
    """Whether files omit the part while all its values are defaults."""

    def __dir__(self) -> list[str]:
        """Names for completion: values, properties and methods of scenes, without those of pydantic."""
        parts = [part for part in type(self).__mro__ if issubclass(part, Frozen)]
        own = {name for part in parts for name in vars(part)} - {"model_config", "optional"}
        return sorted({name for name in own if not name.startswith("_")} | set(field_names(self)))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


_UNITS = {
    "_links_s": "links/s",
    "_deg_s2": "°/s²",
    "_deg_s": "°/s",
    "_rad_s": "rad/s",
    "_m_s2": "m/s²",
    "_m_s": "m/s",
    "_nm_per_rad": "N m/rad",
    "_per_rad2_s": "1/(rad² s)",
    "_per_s": "1/s",
    "_per_m": "1/m",
    "_deg": "°",
    "_rad": "rad",
    "_hz": "Hz",
    "_kg": "kg",
    "_nm": "N m",
    "_m": "m",
    "_s": "s",
    "_n": "N",
}
"""Units by the suffixes of names, the longest first."""


class FieldDoc(NamedTuple):
    """Presentation of a scene value to users."""

    label: str
    """Short name for panels."""

    unit: str
    """Unit of the value in the file ("" for none)."""

    help: str
    """One-line explanation."""

    symbol: str
    """Symbol in the papers, "" if none."""

    slider: tuple[float, float] | None
    """Sensible range of a slider, narrower than the valid range."""

    live: bool
    """Whether a change applies immediately to a running simulation; otherwise it applies at reset."""

    minimum: float | None
    """Smallest valid value; None if there is none."""

    maximum: float | None
    """Largest valid value; None if there is none."""

    exclusive_minimum: bool
    """Whether the minimum itself is invalid."""

    default: Any
    """Default value; None if the file must set the value."""


def value(
    default: Any = ...,
    *,
    label: str = "",
    help: str = "",
    unit: str = "",
    symbol: str = "",
    slider: tuple[float, float] | None = None,
    live: bool = False,
    **limits: Any,
) -> Any:
    """Declare a scene value; `limits` are passed to pydantic (``gt``, ``ge``, ``lt``, ``le``, ``max_length`` ...).

    Without a label, label and unit follow from the name ("Amplitude" in ° for `amplitude_deg`), and the
    slider from the limits.
    """
    extra: Any = {"label": label, "unit": unit, "symbol": symbol, "slider": slider, "live": live}
    return Field(default, description=help, json_schema_extra=extra, **limits)


def field_doc(model: type[BaseModel], name: str) -> FieldDoc:
    """Return the declaration of field `name` of `model`.

    Raises `KeyError` if there is no such field.
    """
    undeclared = name not in model.model_fields and model.model_config.get("extra") == "allow"
    info: FieldInfo = FieldInfo() if undeclared else model.model_fields[name]
    extra: dict[str, Any] = (
        dict(info.json_schema_extra) if isinstance(info.json_schema_extra, dict) else {}
    )
    minimum = maximum = None
    exclusive = False
    for limit in info.metadata:
        for attribute in ("ge", "gt"):
            if getattr(limit, attribute, None) is not None:
                minimum = float(getattr(limit, attribute))
                exclusive = attribute == "gt"
        for attribute in ("le", "lt"):
            if getattr(limit, attribute, None) is not None:
                maximum = float(getattr(limit, attribute))
    label = str(extra.get("label", ""))
    unit = str(extra.get("unit", ""))
    slider = extra.get("slider")
    if not label:
        if slider is None and minimum is not None and maximum is not None:
            slider = (minimum, maximum)
        stem, ending = next(
            ((name[: -len(each)], each) for each in _UNITS if name.endswith(each)), (name, "")
        )
        label = stem.replace("_", " ")
        label = capitalized(label)
        unit = unit or _UNITS.get(ending, "")
    return FieldDoc(
        label=label,
        unit=unit,
        help=info.description or "",
        symbol=str(extra.get("symbol", "")),
        slider=slider,
        live=bool(extra.get("live", False)),
        minimum=minimum,
        maximum=maximum,
        exclusive_minimum=exclusive,
        default=None if info.is_required() else info.get_default(call_default_factory=True),
    )


def field_names(part: BaseModel) -> tuple[str, ...]:
    """Return the names of all values of a part, including undeclared ones."""
    return (*type(part).model_fields, *(part.model_extra or ()))


def fixed_values(part: BaseModel) -> dict[str, Any]:
    """Return the values of a part of the scene, including its kind, that cannot change during a run."""
    return {
        name: getattr(part, name)
        for name in field_names(part)
        if not field_doc(type(part), name).live
    }
