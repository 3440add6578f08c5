"""What a controller declares of itself: all that panels, checks, plots, pictures and files of runs know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model import registry
from snakestudio.model.column_units import parted
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.events import RunEvent
from snakestudio.model.fields import Frozen
from snakestudio.model.recording import Schema
from snakestudio.model.registry import (
    FieldsDeclaration,
    Registry,
    first_line,
    titled,
    unchecked_fields,
)
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

NOT_LOADED = "The plug-in that has it is not loaded."

EventFinder = Callable[[FloatArray, FloatArray], list[RunEvent]]
"""Finds moments in more rows of a run: their times (k,), s, and what controllers and models added
to them (k, x)."""


class JointMarks(NamedTuple):
    """Joints (0-based) that are marked in pictures, and whether something is done about what they are marked for."""

    joints: list[int]
    worked_on: bool


class Said(NamedTuple):
    """Something to be said in the legend of the view."""

    tone: Literal["accent", "good", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A channel as a curve; angles are shown in degrees."""

    channel: str
    """Name of the column, which ends in its unit."""

    name: str
    right: bool = False
    """On the right axis."""

    faint: bool = False
    """Drawn dim: a reference."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A kind of plot, for all runs that have its channels."""

    key: str
    """Its name in stored layouts."""

    title: str
    curves: tuple[Curve, ...]
    """The first tells the unit of the left axis."""

    least: float = 1e-9
    """Least length of the left axis."""

    levels: tuple[tuple[float, str], ...] = ()
    """Values to mark, and what they are."""

    place: float = 100.0
    """Where it stands among others."""


def _fine(scene: Scene) -> list[Problem]:
    return []


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerKind(FieldsDeclaration):
    """A kind of controller."""

    role: ClassVar[str] = "controller"
    fields_type: ClassVar[type[Frozen]] = ControllerFields
    registry: ClassVar[Registry[Any]] = registry.CONTROLLERS

    fields: type[ControllerFields]
    """The scene's [controller] table; its class says which other parts of the scene have an effect
    beside it (`uses`)."""

    make: Callable[[Scene, FloatArray], Any]
    """The controller (`control.base.Controller`) of a scene whose joints start at given angles,
    (m,), rad."""

    title: str = ""
    help: str = ""
    """`title` and `help`: for people; the help is a sentence. From the name, and from the docstring
    of the fields, if left out."""

    place: float = 100.0
    """Where it stands in lists."""

    check: Callable[[Scene], list[Problem]] = _fine
    """What is wrong or doubtful in a scene with it."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Scene], bool], str], ...] = ()
    """Keys, when they have an effect in a scene with it, and that in a few words."""

    tools: tuple[str, ...] = ()
    """What else of the window serves it: "path" to draw, controls to "drive" it."""

    note: Callable[[Any], str] = lambda fields: ""
    """What there is to say in its panel about its values; "" for nothing."""

    channels: tuple[str, ...] = ()
    """Those that all of its runs have: its run is known by them. Those of the controller's class if
    left out."""

    plots: tuple[Plot, ...] = ()
    """Kinds of plot of its channels; one of all channels if left out."""

    shown: tuple[str, str, str, str] | None = None
    """Which plots are shown at first; none: those of its scene."""

    phase: tuple[str, str, str] | None = None
    """A channel that is above 0 in a phase of it, and what the phase's begin and end are called."""

    says: Callable[[Mapping[str, float]], list[Said]] = lambda control: []
    """What to say of its channels' values."""

    marks: Callable[[Mapping[str, float]], JointMarks | None] = lambda control: None
    """What to mark of its channels' values in pictures; None for nothing."""

    events: Callable[[Schema, Any], EventFinder] | None = None
    """Makes what finds its moments in a run: from the run's columns and from the fields."""

    remedies: Mapping[Fields, str] = field(default_factory=dict)
    """What to do where something is not measured that it needs."""

    states: Mapping[str, type] = field(default_factory=dict)
    """What its saved state is made of, by names in run files."""

    formerly: Mapping[str, type] = field(default_factory=dict)
    """The same, and its fields, as version 0.1.0 called them."""

    def __post_init__(self) -> None:
        """Fill in what follows from the rest."""
        title = self.title or titled(self.kind_name)
        declared = getattr(self.make, "channels", ())
        channels = self.channels or (declared if isinstance(declared, tuple) else ())
        plots = self.plots
        if channels and not plots and not self.shown:
            plots = (
                Plot(
                    self.kind_name,
                    title,
                    tuple(Curve(each, titled(parted(each)[0]).lower()) for each in channels),
                ),
            )
        for name, value in {
            "title": title,
            "help": self.help or first_line(self.fields) or title,
            "channels": channels,
            "plots": plots,
        }.items():
            object.__setattr__(self, name, value)


def stand_in(name: str) -> ControllerKind:
    """What is used for a controller of a plug-in that is not loaded."""
    fields = unchecked_fields(name, ControllerFields)
    return ControllerKind(
        fields=fields, make=_refuse, title=f"{titled(name)} (plug-in)", help=NOT_LOADED
    )


def _refuse(scene: Scene, start: FloatArray) -> Any:
    raise SceneError(f'controller.kind = "{scene.controller.kind}": {NOT_LOADED}')


CONTROLLERS: Registry[ControllerKind] = registry.CONTROLLERS
"""All kinds of controller by `scene.controller.kind`."""


def controller_of(control: Mapping[str, float]) -> ControllerKind | None:
    """The controller that made the channels of a snapshot; None if it made none. Another one may be in the scene."""
    return _known_by(tuple(control), tuple(CONTROLLERS.values())) if control else None


@lru_cache(maxsize=64)
def _known_by(
    channels: tuple[str, ...], kinds: tuple[ControllerKind, ...]
) -> ControllerKind | None:
    fitting = [kind for kind in kinds if set(kind.channels) <= set(channels)]
    found = max(fitting, key=lambda kind: len(kind.channels))
    return found if found.channels else None
