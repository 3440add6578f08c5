"""Registries of the kinds of scene parts: each kind is declared once, in a file named after it.

Kinds are in one folder (`control/controllers/heading.py`), and each file declares `KIND`; a
formulation has a folder (`engines/continuum_beam/kind.py`). There is no list of them: a kind is
found by its name and imported on first use. So a scene refers to upper layers by name only, and
starting the program imports only the kinds of its scene. A plug-in adds its declarations
(`Registry.add`).

A scene can name a kind of a plug-in that is not loaded. Such a kind has a stand-in, which preserves
all values of the file and which `check` rejects while the plug-in is missing.
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
from snakestudio.plugins.guards import calling
from snakestudio.text import capitalized


class UncheckedFields:
    """Base class of the fields of a stand-in: all keys are allowed, and none is validated."""


def titled(name: str) -> str:
    """Return the name as a title: "Tail wag" for "tail_wag"."""
    text = name.replace("_", " ")
    return capitalized(text)


def first_line(thing: Any) -> str:
    """Return the first line of the docstring of a class or function; "" if it has none itself."""
    return (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0]


class FieldsDeclaration(Declaration):
    """Base class of declarations of kinds of scene parts."""

    fields_type: ClassVar[type[Frozen]]
    """Base class of the fields."""

    needs_defaults: ClassVar[bool] = True
    """Whether a part of the kind can be chosen before any of its values is set."""

    def mistake(self) -> tuple[str, str] | None:
        """Return the error of the declaration, and remedy; None if it is valid."""
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
                "declare one: value(DEFAULT, ...)",
            )
        return super().mistake()


class Kind(Protocol):
    """Attributes of every declaration."""

    @property
    def fields(self) -> type[BaseModel]:
        """Class of the part of the scene, with its own `kind`."""
        ...

    @property
    def place(self) -> float:
        """Position in lists: kinds are sorted by it."""
        ...


K = TypeVar("K", bound=Kind)


class Registry(Mapping[str, K]):
    """Kinds by name, sorted by their positions.

    Used as an annotation, it makes a scene field any of these kinds, or a tuple of them.

    Parameters
    ----------
    package : str
        Folder of the kinds; all modules in it are kinds.
    folders : bool
        Whether its subfolders are the kinds instead.
    stand_in : str
        Location ("module:function") of the function that creates a stand-in for a kind by name.
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
        """Return the modules by the names of the built-in kinds; none is imported."""
        if not self._modules:
            spec = find_spec(self._package)
            places = spec.submodule_search_locations if spec is not None else None
            own = [
                each.name for each in pkgutil.iter_modules(places) if each.ispkg == self._folders
            ]
            end = ".kind" if self._folders else ""
            self._modules |= {name: f"{self._package}.{name}{end}" for name in own}
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
        """Add a kind of a plug-in; `source` is the plug-in's name."""
        self._kinds[name] = kind
        self._sources[name] = source

    def discard(self, name: str) -> None:
        """Remove a kind that `add` added."""
        del self._sources[name], self._kinds[name]
        self._validators = {
            names: known for names, known in self._validators.items() if name not in names
        }

    def source(self, name: str) -> str:
        """Return the plug-in of a kind; "" for built-in kinds."""
        return self._sources.get(name, "")

    def stand_in(self, name: str) -> K:
        """Return the stand-in for a kind of a plug-in that is not loaded."""
        if name not in self._stand_ins:
            module, _, function = self._stand_in.partition(":")
            self._stand_ins[name] = getattr(import_module(module), function)(name)
        return self._stand_ins[name]

    def unchecked(self, part: Any) -> Any:
        """Replace values of a part whose kind is unknown by fields of a stand-in; return other values unchanged.

        `part` can be a sequence of parts.
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
        # Constraints in the annotation of the tuple itself, such as its largest length.
        limits = {
            key: limit
            for key, limit in handler(source).items()
            if key in ("min_length", "max_length")
        }
        return core_schema.with_info_plain_validator_function(partial(self._parts, **limits))

    def _part(self, value: Any, info: core_schema.ValidationInfo) -> Any:
        """Return the part of the scene from its values; only its own kind is imported."""
        if isinstance(value, UncheckedFields):
            return value
        names = self._named((value,))
        if names not in self._validators:
            self._validators[names] = SchemaValidator(self._any_of(names))
        return _validated(self._validators[names], value, info)

    def _parts(self, value: Any, info: core_schema.ValidationInfo, **limits: Any) -> Any:
        """Return the parts of the scene from their values, validated together: there can be thousands."""
        parts = value if isinstance(value, tuple | list) else ()
        if any(isinstance(part, UncheckedFields) for part in parts):
            return tuple(self._part(part, info) for part in parts)
        any_of = self._any_of(self._named(parts))
        return _validated(
            SchemaValidator(core_schema.tuple_variable_schema(any_of, strict=True, **limits)),
            value,
            info,
        )

    def _named(self, parts: Iterable[Any]) -> tuple[str, ...]:
        """Return the kinds of `parts`; all kinds if one is unknown, so that the error can list them."""
        named = [
            part.get("kind") if isinstance(part, dict) else getattr(part, "kind", None)
            for part in parts
        ]
        names = {name for name in named if isinstance(name, str)}
        known = (
            named
            and all(name in self for name in names)
            and all(isinstance(name, str) for name in named)
        )
        return tuple(sorted(names)) if known else tuple(self)

    def _any_of(self, names: Iterable[str]) -> CoreSchema:
        return core_schema.tagged_union_schema(
            {name: self[name].fields.__pydantic_core_schema__ for name in names}, "kind"
        )


def _validated(validator: SchemaValidator, value: Any, info: core_schema.ValidationInfo) -> Any:
    with calling():  # validators of fields of plug-ins
        return (
            validator.validate_json(to_json(value))
            if info.mode == "json"
            else validator.validate_python(value)
        )


def unchecked_fields(name: str, base: type[Frozen]) -> type[Any]:
    """Return the fields of a stand-in: those of a kind with that name, with any values."""
    kind: Any = (Literal[name], name)
    fields: Any = create_model(
        f"Unchecked_{name}", __base__=(UncheckedFields, base, _Open), kind=kind
    )
    return fields  # type: ignore[no-any-return]


class _Open(Frozen):
    model_config = ConfigDict(extra="allow")


CONTROLLERS: Registry[Any] = Registry(
    "snakestudio.control.controllers", stand_in="snakestudio.kinds.controller:stand_in"
)
"""Controllers that close the loop over the gait (`kinds.controller.ControllerKind`)."""


GAIT_KINDS: Registry[Any] = Registry(
    "snakestudio.control.gaits", stand_in="snakestudio.kinds.gait:stand_in"
)
"""Gaits: open-loop references of the joints (`kinds.gait.GaitKind`)."""


SHAPES: Registry[Any] = Registry(
    "snakestudio.model.obstacles.shapes", stand_in="snakestudio.model.obstacles.shape:stand_in"
)
"""Obstacle shapes (`model.obstacles.shape.ShapeKind`)."""


FORMULATIONS: Registry[Any] = Registry(
    "snakestudio.engines", folders=True, stand_in="snakestudio.kinds.formulation:stand_in"
)
"""Formulations of the dynamics (`kinds.formulation.FormulationKind`)."""


def options(owner: type[BaseModel], name: str) -> dict[str, type[BaseModel]] | None:
    """Parts that a field (or the entries of a tuple) can contain, by kind; None if the field fixes the part."""
    registry = next(
        (each for each in owner.model_fields[name].metadata if isinstance(each, Registry)), None
    )
    return None if registry is None else {kind: registry[kind].fields for kind in registry}
