"""What a formulation of the dynamics declares of itself: all that checks, files of runs and the window know of it."""

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
from snakestudio.model.registry import (
    FieldsDeclaration,
    Registry,
    first_line,
    titled,
    unchecked_fields,
)
from snakestudio.model.scene import Scene

Late = Callable[..., Any] | str
"""A thing, or where it is in the folder of the formulation, "module:name": compiled code is loaded
when it is used."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FormulationKind(FieldsDeclaration):
    """A formulation of the dynamics."""

    role: ClassVar[str] = "formulation"
    fields_type: ClassVar[type[Frozen]] = ModelFields
    registry: ClassVar[Registry[Any]] = registry.FORMULATIONS

    fields: type[ModelFields]
    """The scene's [model] table; its class says what body it moves (`body`), and whether in space
    (`spatial`)."""

    engine: Late
    """Makes its engine (`engines.base.Engine`) of a scene and of the folder that file names in it
    are relative to."""

    title: str = ""
    help: str = ""
    """`title` and `help`: for people; the help is a sentence. From the name, and from the docstring
    of the fields, if left out."""

    short: str = ""
    name: str = ""
    """`short` and `name`: the title where there is little room, and within a sentence; from the
    title if left out."""

    reads: frozenset[str] = frozenset()
    """Scene keys with an effect in it, as `kinds.reads` has them; all keys if left out."""

    check: Late = ""
    """What is wrong or doubtful in a scene, of the same."""

    schema: Late = ""
    """What the rows of a run of a scene hold; where it is left out, an engine is built and
    asked."""

    largest_stable_step: Late = ""
    """Step up to which its explicit parts are stable in a scene, s."""

    folder: str = ""
    """Package that places are relative to."""

    place: float = 100.0
    """Where it stands in lists."""

    parts: int = 0
    """Functions that are compiled for it, all of which `run_once` of its engine calls; 0: there is
    nothing to compile."""

    contact_problems: bool = False
    """Whether its steps solve a contact problem, which can be saved."""

    friction_laws: tuple[str, ...] = ()
    """Values of `ground.law` that it can, its own first: that is what a scene which names none
    gets."""

    friction_arrows: bool = False
    """Whether the friction on its body is shown as arrows."""

    alone: bool = False
    """Whether panels leave out what no other formulation reads, where it is not the scene's."""

    states: Mapping[str, Late] = field(default_factory=dict)
    """What its saved state is made of, by names in run files."""

    formerly: Mapping[str, Late] = field(default_factory=dict)
    """The same, as version 0.1.0 called them."""

    from_format_1: Late | None = None
    """Makes fields of its state, by name, of what files of format 1 have; None if they are the
    same."""

    def __post_init__(self) -> None:
        """Fill in what follows from the rest."""
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

    def friction_law(self, asked: str | None) -> str:
        """The law of friction that holds in it where a scene asks for one (None: for none); "" if it has none."""
        return asked or next(iter(self.friction_laws), "")

    def whole_place(self, what: Late) -> Late:
        """What is declared, with its folder if it is a place."""
        return f"{self.folder}.{what}" if isinstance(what, str) else what

    def loaded(self, what: Late) -> Any:
        """The thing that is declared."""
        return thing_at(self.whole_place(what))


def thing_at(place: Late) -> Any:
    """The thing at a whole place, "package.module:name", imported now; or what is given itself."""
    if not isinstance(place, str):
        return place
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _fine(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    return []


def _endless(scene: Scene) -> float:
    return math.inf


def _everything() -> frozenset[str]:
    """All keys of a scene."""
    parts = [
        name
        for name, info in Scene.model_fields.items()
        if name not in ("format", "title", "description")
    ]
    return frozenset((*Scene.model_fields, *(f"{name}.*" for name in parts)))


def stand_in(name: str) -> FormulationKind:
    """What is used for a formulation of a plug-in that is not loaded."""
    fields = unchecked_fields(name, ModelFields)
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that has it is not loaded."
    return FormulationKind(fields=fields, engine=_refuse, title=title, help=text)


def _refuse(scene: Scene, base_dir: Path | None = None) -> Any:
    raise SceneError(f'model.kind = "{scene.model.kind}": The plug-in that has it is not loaded.')


FORMULATIONS: Registry[FormulationKind] = registry.FORMULATIONS
"""All formulations by `scene.model.kind`."""
