"""What a gait declares of itself: all that panels, checks and files of runs know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import Problem
from snakestudio.model import registry
from snakestudio.model.fields import Frozen
from snakestudio.model.motion import GaitFields
from snakestudio.model.registry import (
    FieldsDeclaration,
    Registry,
    first_line,
    titled,
    unchecked_fields,
)
from snakestudio.model.scene import Scene


def _fine(scene: Scene) -> list[Problem]:
    return []


@dataclass(frozen=True, kw_only=True, eq=False)
class GaitKind(FieldsDeclaration):
    """A kind of gait."""

    role: ClassVar[str] = "gait"
    fields_type: ClassVar[type[Frozen]] = GaitFields
    registry: ClassVar[Registry[Any]] = registry.GAIT_KINDS

    fields: type[GaitFields]
    """The scene's [gait] table; those whose names begin with "pitch_" have an effect in space
    alone."""

    title: str = ""
    help: str = ""
    """`title` and `help`: for people; the help is a sentence. From the name, and from the docstring
    of the fields, if left out."""

    place: float = 100.0
    """Where it stands in lists."""

    make: Callable[[Scene], Any] | None = None
    """The angles of a scene's joints over time (`control.set_points.OwnGait`). Of two gaits with
    the same, one takes over from the other while a run goes."""

    torques: Callable[[Scene, NDArray[np.float64]], Any] | None = None
    """Instead of `make`: what gives the joints torques (`control.base.Controller`), in place of any
    controller."""

    check: Callable[[Scene], list[Problem]] = _fine
    """What is wrong or doubtful in a scene with it."""

    readable: Callable[[Any], bool] = lambda fields: True
    """Whether its values can be used at all, so that a run can take them over."""

    rates: Callable[[Scene], NDArray[np.float64]] | None = None
    """Largest rates that it asks of all joint axes of a scene, (m,), rad/s; of a gait of waves they
    follow from these."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Scene], bool], str], ...] = ()
    """Keys, when they have an effect in a scene with it, and that in a few words."""

    states: Mapping[str, type] = field(default_factory=dict)
    """What its saved state is made of, by names in run files."""

    formerly: Mapping[str, type] = field(default_factory=dict)
    """The same, and its fields, as version 0.1.0 called them."""

    def __post_init__(self) -> None:
        """Fill in what follows from the rest."""
        title = self.title or titled(self.kind_name)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "help", self.help or first_line(self.fields) or title)


def stand_in(name: str) -> GaitKind:
    """What is used for a gait of a plug-in that is not loaded: it asks for straight joints."""
    fields = unchecked_fields(name, GaitFields)
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that has it is not loaded."
    return GaitKind(fields=fields, title=title, help=text)


GAIT_KINDS: Registry[GaitKind] = registry.GAIT_KINDS
"""All kinds of gait by `scene.gait.kind`; the gaits of the library are values of some of them."""
