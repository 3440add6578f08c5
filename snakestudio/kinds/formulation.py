"""Declaration of a formulation of the dynamics: everything that checks, run files and the window know about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from snakestudio.errors import Problem, SceneError
from snakestudio.model import registry
from snakestudio.model.fields import Frozen
from snakestudio.model.formulations import ModelFields
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
from snakestudio.plugins.column_names import channels_mistake

Late = Callable[..., Any] | str
"""An object, or its location in the folder of the formulation, "module:name", so that compiled code is
loaded on first use."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FormulationKind(FieldsDeclaration):
    """A formulation of the dynamics."""

    role: ClassVar[str] = "formulation"
    fields_type: ClassVar[type[Frozen]] = ModelFields
    registry: ClassVar[Registry[Any]] = registry.FORMULATIONS

    fields: type[ModelFields]
    """Class of the scene's [model] table; it declares the kind of body (`body`) and whether it moves in
    space (`spatial`)."""

    engine: Late
    """Creates the engine, an `Engine`, from a scene and the folder to which its file names are
    relative."""

    title: str = ""
    """Name for people; by default from the name of the kind."""

    help: str = ""
    """Sentence for people; by default from the docstring of the fields."""

    short: str = ""
    """Title where space is limited; by default from the title."""

    name: str = ""
    """Title in a sentence; by default from the title."""

    reads: frozenset[str] = frozenset()
    """Scene keys that have an effect, as in `kinds.reads`; all keys by default."""

    check: Late = ""
    """Returns the problems of a scene; same arguments as `engine`."""

    schema: Late = ""
    """Returns the columns of a run of a scene; by default an engine is built to determine them."""

    largest_stable_step: Late = ""
    """Returns the largest step at which the explicit parts are stable in a scene, s."""

    folder: str = ""
    """Package to which locations are relative."""

    place: float = 100.0
    """Sort key in lists."""

    parts: int = 0
    """Number of compiled functions, all of which `run_once` of the engine calls; 0 if there is nothing
    to compile."""

    contact_problems: bool = False
    """Whether the steps solve a contact problem, which can be saved."""

    channels: tuple[str, ...] = ()
    """Columns that the model adds to `Schema.extra`."""

    one_per_run: ClassVar[str] = "model"
    calls: ClassVar[Mapping[str, str]] = {
        "engine": "scene, base_dir",
        "check": "scene, base_dir",
        "schema": "scene",
        "largest_stable_step": "scene",
        "from_format_1": "values",
    }
    makes: ClassVar[Mapping[str, str]] = {"engine": "snakestudio.engines.base:Engine"}

    works_outside_balance: tuple[str, ...] | None = None
    """Recorded works that are not part of the change of kinetic energy, which is the sum of all others;
    None if the energies do not balance in this way."""

    numerical_works: tuple[str, ...] = ()
    """Recorded works of numerical errors, which are 0 in the exact equations."""

    friction_laws: tuple[str, ...] = ()
    """Supported values of `ground.law`; the first is the default."""

    friction_arrows: bool = False
    """Whether friction on the body is shown as arrows."""

    alone: bool = False
    """Whether panels hide the keys that only this formulation reads while another one is selected."""

    states: Mapping[str, Late] = field(default_factory=dict)
    """Classes of the saved state, by name in run files."""

    formerly: Mapping[str, Late] = field(default_factory=dict)
    """Classes of the saved state, by their names in version 0.1.0."""

    from_format_1: Late | None = None
    """Converts state fields of format 1 to current ones, by name; None if they are identical."""

    def __post_init__(self) -> None:
        """Fill in defaults that depend on other fields."""
        title = self.title or titled(self.kind_name)
        own = bool(self.folder)
        for name, value in {
            "title": title,
            "help": self.help or first_line(self.fields) or title,
            "short": self.short or title.lower(),
            "name": self.name or title.lower(),
            "reads": self.reads or _everything(),
            "check": self.check or ("check:check" if own else _fine),
            "schema": self.schema or ("schema:make_schema" if own else ""),
            "largest_stable_step": self.largest_stable_step
            or ("check:largest_stable_step" if own else _endless),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the model adds."""
        return self.channels

    def result(self, name: str) -> Any:
        """Return the type hint of the result of the function in a field, which can also be a location."""
        hints = {"check": list[Problem], "schema": Schema, "largest_stable_step": float}
        return hints.get(name, Any)

    def mistake(self) -> tuple[str, str] | None:
        """Return the error of the declaration, and remedy; None if it is valid."""
        return super().mistake() or channels_mistake(self.channels) or taken_mistake(self.channels)

    def friction_law(self, requested: str | None) -> str:
        """Friction law to use for the law `requested` by a scene (None: default); "" if there is no friction law."""
        return requested or next(iter(self.friction_laws), "")

    def whole_place(self, what: Late) -> Late:
        """Return `what`; a location gets the folder of the formulation."""
        return f"{self.folder}.{what}" if isinstance(what, str) else what

    def loaded(self, what: Late) -> Any:
        """Return the declared object, imported if necessary."""
        return thing_at(self.whole_place(what))


def thing_at(location: Late) -> Any:
    """Import the object at a full location, "package.module:name"; other objects are returned unchanged."""
    if not isinstance(location, str):
        return location
    module, _, name = location.partition(":")
    return getattr(import_module(module), name)


def _fine(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    return []


def _endless(scene: Scene) -> float:
    return math.inf


def _everything() -> frozenset[str]:
    """Return the patterns of all keys of a scene."""
    parts = [
        name
        for name, info in Scene.model_fields.items()
        if name not in ("format", "title", "description")
    ]
    return frozenset((*Scene.model_fields, *(f"{name}.*" for name in parts)))


def stand_in(name: str) -> FormulationKind:
    """Return the placeholder for a formulation of a plug-in that is not loaded."""
    fields = unchecked_fields(name, ModelFields)
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that provides it is not loaded."
    return FormulationKind(fields=fields, engine=_refuse, title=title, help=text)


def _refuse(scene: Scene, base_dir: Path | None = None) -> Any:
    raise SceneError(
        f'model.kind = "{scene.model.kind}": The plug-in that provides it is not loaded.'
    )


FORMULATIONS: Registry[FormulationKind] = registry.FORMULATIONS
"""All formulations by `scene.model.kind`."""
