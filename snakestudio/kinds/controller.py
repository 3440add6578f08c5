"""Declaration of a kind of controller: everything that panels, checks, plots, images and run files know about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from snakestudio.model.quantities import taken_mistake
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
from snakestudio.plugins.column_names import channels_mistake
from snakestudio.plugins.declaration import Declaration

NOT_LOADED = "The plug-in that provides it is not loaded."

EventFinder = Callable[[FloatArray, FloatArray], list[RunEvent]]
"""Finds events in further rows of a run under the controller: arguments are times (k,), s, and the added columns
(k, x)."""


class JointMarks(NamedTuple):
    """Joints to mark in images."""

    joints: list[int]
    """Joints, counted from 0."""

    worked_on: bool
    """Whether the reason is being resolved."""


class Said(NamedTuple):
    """An entry in the legend of the viewport."""

    tone: Literal["accent", "good", "warning"]
    """Colour of the entry."""

    text: str
    """Text of the entry."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A channel as a curve; angles are shown in degrees."""

    channel: str
    """Name of the column, which ends in its unit."""

    name: str
    """Name in the legend."""

    right: bool = False
    """Whether the curve uses the right axis."""

    faint: bool = False
    """Whether the curve is dimmed, as for a reference."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A kind of plot, available for all runs with its channels."""

    key: str
    """Name in stored layouts."""

    title: str
    """Title of the plot."""

    curves: tuple[Curve, ...]
    """The first curve determines the unit of the left axis."""

    least: float = 1e-9
    """Smallest span of the left axis."""

    levels: tuple[tuple[float, str], ...] = ()
    """Values to mark, with their labels."""

    place: float = 100.0
    """Sort key in lists of plots."""


def _fine(scene: Scene) -> list[Problem]:
    return []


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerKind(FieldsDeclaration):
    """A kind of controller."""

    role: ClassVar[str] = "controller"
    fields_type: ClassVar[type[Frozen]] = ControllerFields
    registry: ClassVar[Registry[Any]] = registry.CONTROLLERS

    fields: type[ControllerFields]
    """Class of the scene's [controller] table; its `uses` lists other parts of the scene that have an
    effect with this controller."""

    make: Callable[[Scene, FloatArray], Any]
    """Creates the controller, such as an `AngleController`, from a scene and the initial joint angles,
    (m,), rad."""

    title: str = ""
    """Name for people; by default from the name of the kind."""

    help: str = ""
    """Sentence for people; by default from the docstring of the fields."""

    place: float = 100.0
    """Sort key in lists."""

    check: Callable[[Scene], list[Problem]] = _fine
    """Returns the problems of a scene with this controller."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Scene], bool], str], ...] = ()
    """Keys with the condition under which they have an effect, as a function and as a short text."""

    tools: tuple[str, ...] = ()
    """Tools of the window for this controller: "path" to draw a path, "drive" for the controls."""

    note: Callable[[Any], str] = lambda fields: ""
    """Returns a note about the fields for the panel, or ""."""

    channels: tuple[str, ...] = ()
    """Channels of all runs with this controller, by which such runs are recognized; by default those of
    the controller's class."""

    plots: tuple[Plot, ...] = ()
    """Plots of the channels; by default one plot of all channels."""

    shown: tuple[str, str, str, str] | None = None
    """Plots to show initially; None: those of the scene."""

    phase: tuple[str, str, str] | None = None
    """A channel that is above 0 during a phase, and the names of the start and end of the phase."""

    says: Callable[[Mapping[str, float]], list[Said]] = lambda control: []
    """Returns legend entries for values of the channels."""

    marks: Callable[[Mapping[str, float]], JointMarks | None] = lambda control: None
    """Returns the joints to mark for values of the channels, or None."""

    events: Callable[[Schema, Any], EventFinder] | None = None
    """Creates the finder of events in a run, from the columns of the run and the fields."""

    remedies: Mapping[Fields, str] = field(default_factory=dict)
    """Remedies if fields that the controller needs are not measured."""

    one_per_run: ClassVar[str] = "motion"
    calls: ClassVar[Mapping[str, str]] = {
        "make": "scene, start",
        "check": "scene",
        "note": "fields",
        "says": "control",
        "marks": "control",
        "events": "schema, fields",
    }
    makes: ClassVar[Mapping[str, str]] = {"make": "snakestudio.control.base:Controller"}

    states: Mapping[str, type] = field(default_factory=dict)
    """Classes of the saved state, by name in run files."""

    formerly: Mapping[str, type] = field(default_factory=dict)
    """Classes of the saved state and of the fields, by their names in version 0.1.0."""

    def __post_init__(self) -> None:
        """Fill in defaults that depend on other fields."""
        title = self.title or titled(self.kind_name)
        declared = class_channels(self.make)
        channels = self.channels or (declared if isinstance(declared, tuple) else ())
        plots = self.plots
        if channels and not plots and not self.shown and not channels_mistake(channels):
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

    @property
    def columns(self) -> tuple[str, ...]:
        """Channels of the class, and those of all runs with the controller."""
        return tuple(dict.fromkeys((*class_channels(self.make), *self.channels)))

    def built_in_rivals(self) -> Iterable[Declaration]:
        """Return all models."""
        return registry.FORMULATIONS.values()

    def mistake(self) -> tuple[str, str] | None:
        """Return the error of the declaration, and remedy; None if it is valid."""
        return (
            super().mistake()
            or channels_mistake(class_channels(self.make))
            or channels_mistake(getattr(self.make, "state_channels", ()), "state_channels")
            or channels_mistake(self.channels)
            or taken_mistake(self.columns)
        )


def class_channels(make: Any) -> Any:
    """Return the channels that a class of controllers declares; () if each object determines them."""
    channels = getattr(make, "channels", ()) if isinstance(make, type) else ()
    return () if isinstance(channels, property) else channels


def stand_in(name: str) -> ControllerKind:
    """Return the placeholder for a controller of a plug-in that is not loaded."""
    fields = unchecked_fields(name, ControllerFields)
    return ControllerKind(
        fields=fields, make=_refuse, title=f"{titled(name)} (plug-in)", help=NOT_LOADED
    )


def _refuse(scene: Scene, start: FloatArray) -> Any:
    raise SceneError(f'controller.kind = "{scene.controller.kind}": {NOT_LOADED}')


CONTROLLERS: Registry[ControllerKind] = registry.CONTROLLERS
"""All kinds of controller by `scene.controller.kind`."""


def controller_of(control: Mapping[str, float]) -> ControllerKind | None:
    """The controller whose channels a snapshot has; None if it has none. The scene may have another controller now."""
    return _known_by(tuple(control), tuple(CONTROLLERS.values())) if control else None


@lru_cache(maxsize=64)
def _known_by(
    channels: tuple[str, ...], kinds: tuple[ControllerKind, ...]
) -> ControllerKind | None:
    fitting = [kind for kind in kinds if set(kind.channels) <= set(channels)]
    best = max(fitting, key=lambda kind: len(kind.channels))
    return best if best.channels else None
