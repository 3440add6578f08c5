"""Declaration of a kind of gait: everything that panels, checks and run files know about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import Problem
from snakestudio.kinds.controller import class_channels
from snakestudio.model import registry
from snakestudio.model.fields import Frozen
from snakestudio.model.motion import GaitFields
from snakestudio.model.quantities import taken_mistake
from snakestudio.model.registry import (
    FieldsDeclaration,
    Registry,
    first_line,
    titled,
    unchecked_fields,
)
from snakestudio.model.scene import Scene
from snakestudio.plugins.column_names import channels_mistake
from snakestudio.plugins.declaration import Declaration


def _fine(scene: Scene) -> list[Problem]:
    return []


@dataclass(frozen=True, kw_only=True, eq=False)
class GaitKind(FieldsDeclaration):
    """A kind of gait."""

    role: ClassVar[str] = "gait"
    fields_type: ClassVar[type[Frozen]] = GaitFields
    registry: ClassVar[Registry[Any]] = registry.GAIT_KINDS

    fields: type[GaitFields]
    """Class of the scene's [gait] table; fields whose names start with ``pitch_`` only have an effect in
    space."""

    title: str = ""
    """Name for people; by default from the name of the kind."""

    help: str = ""
    """Sentence for people; by default from the docstring of the fields."""

    place: float = 100.0
    """Sort key in lists."""

    make: Callable[[Scene], Any] | None = None
    """Creates the motion of a scene's joints, such as an `AngleGait`. During a run, a gait can
    change to another kind with the same `make`."""

    torques: Callable[[Scene, NDArray[np.float64]], Any] | None = None
    """Instead of `make`: creates a source of joint torques, such as an `OpenLoop`, which replaces
    the controller of the scene."""

    check: Callable[[Scene], list[Problem]] = _fine
    """Returns the problems of a scene with this gait."""

    readable: Callable[[Any], bool] = lambda fields: True
    """Whether the fields are valid, so that a run can use them."""

    rates: Callable[[Scene], NDArray[np.float64]] | None = None
    """Returns the largest rates of all joint axes of a scene, (m,), rad/s; for gaits of waves they follow
    from the waves."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Scene], bool], str], ...] = ()
    """Keys with the condition under which they have an effect, as a function and as a short text."""

    one_per_run: ClassVar[str] = "motion"
    calls: ClassVar[Mapping[str, str]] = {
        "make": "scene",
        "torques": "scene, start",
        "check": "scene",
        "readable": "fields",
        "rates": "scene",
    }
    makes: ClassVar[Mapping[str, str]] = {
        "make": "snakestudio.control.set_points:OwnGait",
        "torques": "snakestudio.control.base:Controller",
    }

    states: Mapping[str, type] = field(default_factory=dict)
    """Classes of the saved state, by name in run files."""

    formerly: Mapping[str, type] = field(default_factory=dict)
    """Classes of the saved state and of the fields, by their names in version 0.1.0."""

    def __post_init__(self) -> None:
        """Fill in defaults that depend on other fields."""
        title = self.title or titled(self.kind_name)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "help", self.help or first_line(self.fields) or title)

    @property
    def columns(self) -> tuple[str, ...]:
        """Channels of its source of torques."""
        channels: tuple[str, ...] = class_channels(self.torques)
        return channels

    def built_in_rivals(self) -> Iterable[Declaration]:
        """Return all models."""
        return registry.FORMULATIONS.values()

    def mistake(self) -> tuple[str, str] | None:
        """Return the error of the declaration, and remedy; None if it is valid."""
        return (
            super().mistake()
            or channels_mistake(class_channels(self.torques))
            or taken_mistake(self.columns)
        )


def stand_in(name: str) -> GaitKind:
    """Return the placeholder for a gait of a plug-in that is not loaded; its joints are straight."""
    fields = unchecked_fields(name, GaitFields)
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that provides it is not loaded."
    return GaitKind(fields=fields, title=title, help=text)


GAIT_KINDS: Registry[GaitKind] = registry.GAIT_KINDS
"""All kinds of gait by `scene.gait.kind`; the gaits of the library are values of some of them."""
