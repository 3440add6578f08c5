"""The kinds that a part of the scene can be of: each is declared once, in a file that is called as the kind is.

A folder holds them (`control/controllers/heading.py`), and each declares `KIND`; a formulation has
a folder of its own for that (`engines/continuum_beam/kind.py`). Nothing lists them: a kind is found
by its name, and imported when it is first asked for. So a scene knows what stands above it by name
alone, and starting the program costs what its scene is of. A plug-in adds its own declarations
(`Registry.add`).

A scene may name a kind of a plug-in that is not loaded. Such a kind has a stand-in, which keeps all
values as they are in the file and is refused by `check` as long as the plug-in is missing.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, Protocol, TypeVar, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, create_model
from pydantic_core import CoreSchema, SchemaValidator, core_schema, to_json

from snakestudio.model.fields import Frozen
from snakestudio.plugins.declaration import Declaration
from snakestudio.text import capitalized


class Unchecked:
    """Base of the fields of a stand-in: all keys are allowed, and none is checked."""


def titled(name: str) -> str:
    """A name as a title: "Tail wag" for "tail_wag"."""
    words = name.replace("_", " ")
    return capitalized(words)


def first_line(thing: Any) -> str:
    """The first line of the docstring of a class or a function; "" if it has none of its own."""
    return (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0]


class FieldsDeclaration(Declaration):
    """Base of declarations of kinds of a part of the scene."""

    fields_type: ClassVar[type[Frozen]]
    """What the fields are derived from."""

    needs_defaults: ClassVar[bool] = True
    """Whether a part of the kind can be chosen before any of its values is given."""

    def mistake(self) -> tuple[str, str] | None:
        """What is wrong with the declaration and what to do; None if nothing is."""
        fields: Any = getattr(self, "fields", None)
        base = self.fields_type.__name__
        if not (isinstance(fields, type) and issubclass(fields, self.fields_type)):
            return (
                f'the fields of the {self.role} "{self.kind_name}" are not derived from {base}',
                f"derive them from {base}",
            )
        missing = [name for name, info in fields.model_fields.items() if info.is_required()]
        if missing and self.needs_defaults:
            return (
                f"{fields.__name__}.{missing[0]} has no default",
                "give it one: value(DEFAULT, ...)",
            )
        return super().mistake()


class Kind(Protocol):
    """What every declaration has."""

    @property
    def fields(self) -> type[BaseModel]:
        """The part of the scene, with a `kind` of its own."""
        ...

    @property
    def place(self) -> float:
        """Where it stands in lists."""
        ...


K = TypeVar("K", bound=Kind)


class Registry(Mapping[str, K]):
    """Kinds by name, in the order of their places.

    As an annotation of a scene's field it lets that be any of them, or a tuple of any of them.

    Parameters
    ----------
    package : str
        Their folder; all modules in it are kinds.
    folders : bool
        Whether it is the folders in it, instead.
    stand_in : str
        Place ("module:function") of what makes a kind by name that stands in for one of a plug-in.
    """

    def __init__(self, package: str, *, folders: bool = False, stand_in: str = "") -> None:
        self._package = package
        self._folders = folders
        self._stand_in = stand_in
        self._modules: dict[str, str] = {}
        self._kinds: dict[str, K] = {}
        self._sources: dict[str, str] = {}
        self._stand_ins: dict[str, K] = {}
        self._validators: dict[tuple[str, ...], SchemaValidator] = {}

    def _own(self) -> dict[str, str]:
        """Modules by the names of the program's kinds; nothing of them is imported."""
        if not self._modules:
            spec = find_spec(self._package)
            places = spec.submodule_search_locations if spec is not None else None
            found = [
                each.name for each in pkgutil.iter_modules(places) if each.ispkg == self._folders
            ]
            end = ".kind" if self._folders else ""
            self._modules |= {name: f"{self._package}.{name}{end}" for name in found}
        return self._modules

    def __getitem__(self, name: str) -> K:
        if name not in self._kinds:
            if name not in self._own() and name in self._stand_ins:
                return self._stand_ins[name]
            self._kinds[name] = import_module(self._own()[name]).KIND
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(
            sorted((*self._own(), *self._sources), key=lambda name: (self[name].place, name))
        )

    def __len__(self) -> int:
        return len(self._own()) + len(self._sources)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._own() or name in self._sources)

    def add(self, name: str, kind: K, source: str) -> None:
        """Take up a kind of a plug-in; `source` is the plug-in's name."""
        self._kinds[name] = kind
        self._sources[name] = source

    def discard(self, name: str) -> None:
        """Remove a kind that `add` took up."""
        del self._sources[name], self._kinds[name]
        self._validators = {
            names: known for names, known in self._validators.items() if name not in names
        }

    def source(self, name: str) -> str:
        """The plug-in that a kind comes from; "" for the program's own."""
        return self._sources.get(name, "")

    def stand_in(self, name: str) -> K:
        """What is used for a kind of a plug-in that is not loaded."""
        if name not in self._stand_ins:
            module, _, function = self._stand_in.partition(":")
            self._stand_ins[name] = getattr(import_module(module), function)(name)
        return self._stand_ins[name]

    def unchecked(self, part: Any) -> Any:
        """The values of a part of the scene as fields of a stand-in where their kind is not known; else as they are.

        `part` may be a sequence of such.
        """
        if isinstance(part, list | tuple):
            return tuple(self.unchecked(each) for each in part)
        name = part.get("kind") if isinstance(part, dict) else None
        if not isinstance(name, str) or not name.isidentifier() or name in self:
            return part
        try:
            return self.stand_in(name).fields.model_validate(part)
        except ValidationError:
            return part

    # ----------------------------------------------------------------------------------- in a scene

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        if get_origin(source) is not tuple:
            return core_schema.with_info_plain_validator_function(self._part)
        # What the annotation says of the tuple itself, such as its greatest length.
        limits = {
            key: limit
            for key, limit in handler(source).items()
            if key in ("min_length", "max_length")
        }
        return core_schema.with_info_plain_validator_function(partial(self._parts, **limits))

    def _part(self, value: Any, info: core_schema.ValidationInfo) -> Any:
        """A part of the scene from its values; of all kinds only its own is imported."""
        if isinstance(value, Unchecked):
            return value
        names = self._named((value,))
        if names not in self._validators:
            self._validators[names] = SchemaValidator(self._any_of(names))
        return _validated(self._validators[names], value, info)

    def _parts(self, value: Any, info: core_schema.ValidationInfo, **limits: Any) -> Any:
        """The same of any number of parts, at once: there may be thousands."""
        parts = value if isinstance(value, tuple | list) else ()
        if any(isinstance(part, Unchecked) for part in parts):
            return tuple(self._part(part, info) for part in parts)
        any_of = self._any_of(self._named(parts))
        return _validated(
            SchemaValidator(core_schema.tuple_variable_schema(any_of, strict=True, **limits)),
            value,
            info,
        )

    def _named(self, parts: Iterable[Any]) -> tuple[str, ...]:
        """The kinds that parts are of; all there are where one is of none of them, to be named to whoever gave it."""
        given = [
            part.get("kind") if isinstance(part, dict) else getattr(part, "kind", None)
            for part in parts
        ]
        names = {name for name in given if isinstance(name, str)}
        known = (
            given
            and all(name in self for name in names)
            and all(isinstance(name, str) for name in given)
        )
        return tuple(sorted(names)) if known else tuple(self)

    def _any_of(self, names: Iterable[str]) -> CoreSchema:
        return core_schema.tagged_union_schema(
            {name: self[name].fields.__pydantic_core_schema__ for name in names}, "kind"
        )


def _validated(validator: SchemaValidator, value: Any, info: core_schema.ValidationInfo) -> Any:
    return (
        validator.validate_json(to_json(value))
        if info.mode == "json"
        else validator.validate_python(value)
    )


def unchecked_fields(name: str, base: type[Frozen]) -> type[Any]:
    """Fields of a stand-in: as those of a kind of that name, with any values."""
    kind: Any = (Literal[name], name)
    fields: Any = create_model(f"Unchecked_{name}", __base__=(Unchecked, base, _Open), kind=kind)
    return fields  # type: ignore[no-any-return]


class _Open(Frozen):
    model_config = ConfigDict(extra="allow")


CONTROLLERS: Registry[Any] = Registry(
    "snakestudio.control.controllers", stand_in="snakestudio.kinds.controller:stand_in"
)
"""What closes the loop over the gait (`kinds.controller.ControllerKind`)."""


GAIT_KINDS: Registry[Any] = Registry(
    "snakestudio.control.gaits", stand_in="snakestudio.kinds.gait:stand_in"
)
"""What the joints are asked for without looking at the robot (`kinds.gait.GaitKind`)."""


SHAPES: Registry[Any] = Registry(
    "snakestudio.model.obstacles.shapes", stand_in="snakestudio.model.obstacles.shape:stand_in"
)
"""What obstacles can be (`model.obstacles.shape.ShapeKind`)."""


FORMULATIONS: Registry[Any] = Registry(
    "snakestudio.engines", folders=True, stand_in="snakestudio.kinds.formulation:stand_in"
)
"""What moves the robot (`kinds.formulation.FormulationKind`)."""


def options(owner: type[BaseModel], name: str) -> dict[str, type[BaseModel]] | None:
    """The parts that may stand at a field of a part (or in a tuple there) by their kinds; None where it says all."""
    found = next(
        (each for each in owner.model_fields[name].metadata if isinstance(each, Registry)), None
    )
    return None if found is None else {kind: found[kind].fields for kind in found}
