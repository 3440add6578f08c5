"""The kinds that a part of the scene can be of: each is declared once, in a file that is called as the kind is.

A folder holds them (`control/controllers/heading.py`), and each declares `KIND`; a formulation has a folder of its own
for that (`engines/continuum_beam/kind.py`). Nothing lists them: a kind is found by its name, and imported when it is
first asked for. So a scene knows what stands above it by name alone, and starting the program costs what its scene is
of. Kinds of one's own come from a file anywhere (`add_file`).
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, SchemaValidator, core_schema, to_json

__all__ = ["CONTROLLERS", "FORMULATIONS", "GAIT_KINDS", "SHAPES", "Registry", "options"]


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
    """

    def __init__(self, package: str, *, folders: bool = False) -> None:
        self._package, self._folders = package, folders
        self._modules: dict[str, str] = {}
        self._kinds: dict[str, K] = {}
        self._validators: dict[tuple[str, ...], SchemaValidator] = {}

    def _found(self) -> dict[str, str]:
        """Modules by the names of kinds; nothing of them is imported."""
        if not self._modules:
            spec = find_spec(self._package)
            places = spec.submodule_search_locations if spec is not None else None
            found = [each.name for each in pkgutil.iter_modules(places) if each.ispkg == self._folders]
            end = ".kind" if self._folders else ""
            self._modules |= {name: f"{self._package}.{name}{end}" for name in found}
        return self._modules

    def __getitem__(self, name: str) -> K:
        if name not in self._kinds:
            self._kinds[name] = import_module(self._found()[name]).KIND
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._found(), key=lambda name: (self[name].place, name)))

    def __len__(self) -> int:
        return len(self._found())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._found()

    def add_file(self, path: Path) -> K:
        """Take up the kind that a file declares, which may stand anywhere and is called as the kind is.

        Raises
        ------
        ValueError
            If there is such a kind already.
        """
        name = path.stem
        if name in self:
            raise ValueError(f'there is a kind "{name}" already: give {path} another name')
        spec = spec_from_file_location(f"{self._package}.{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self._modules[name] = spec.name
        return self[name]

    def remove(self, name: str) -> None:
        """Forget a kind that `add_file` took up."""
        del sys.modules[self._modules.pop(name)], self._kinds[name]
        self._validators = {names: known for names, known in self._validators.items() if name not in names}

    # ------------------------------------------------------------------------------------------------ in a scene

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        if get_origin(source) is not tuple:
            return core_schema.with_info_plain_validator_function(self._part)
        # What the annotation says of the tuple itself, such as its greatest length.
        limits = {key: limit for key, limit in handler(source).items() if key in ("min_length", "max_length")}
        return core_schema.with_info_plain_validator_function(partial(self._parts, **limits))

    def _part(self, value: Any, info: core_schema.ValidationInfo) -> Any:
        """A part of the scene from its values; of all kinds only its own is imported."""
        names = self._named((value,))
        if names not in self._validators:
            self._validators[names] = SchemaValidator(self._any_of(names))
        return _validated(self._validators[names], value, info)

    def _parts(self, value: Any, info: core_schema.ValidationInfo, **limits: Any) -> Any:
        """The same of any number of parts, at once: there may be thousands."""
        any_of = self._any_of(self._named(value if isinstance(value, tuple | list) else ()))
        return _validated(
            SchemaValidator(core_schema.tuple_variable_schema(any_of, strict=True, **limits)), value, info
        )

    def _named(self, parts: Iterable[Any]) -> tuple[str, ...]:
        """The kinds that parts are of; all there are where one is of none of them, to be named to whoever gave it."""
        given = [part.get("kind") if isinstance(part, dict) else getattr(part, "kind", None) for part in parts]
        names = {name for name in given if isinstance(name, str)}
        known = given and all(name in self for name in names) and all(isinstance(name, str) for name in given)
        return tuple(sorted(names)) if known else tuple(self)

    def _any_of(self, names: Iterable[str]) -> CoreSchema:
        return core_schema.tagged_union_schema(
            {name: self[name].fields.__pydantic_core_schema__ for name in names}, "kind"
        )


def _validated(validator: SchemaValidator, value: Any, info: core_schema.ValidationInfo) -> Any:
    return validator.validate_json(to_json(value)) if info.mode == "json" else validator.validate_python(value)


CONTROLLERS: Registry[Any] = Registry("snakestudio.control.controllers")
"""What closes the loop over the gait (`kinds.controller.ControllerKind`)."""


GAIT_KINDS: Registry[Any] = Registry("snakestudio.control.gaits")
"""What the joints are asked for without looking at the robot (`kinds.gait.GaitKind`)."""


SHAPES: Registry[Any] = Registry("snakestudio.model.obstacles.shapes")
"""What obstacles can be (`model.obstacles.shape.ShapeKind`)."""


FORMULATIONS: Registry[Any] = Registry("snakestudio.engines", folders=True)
"""What moves the robot (`kinds.formulation.FormulationKind`)."""


def options(owner: type[BaseModel], name: str) -> dict[str, type[BaseModel]] | None:
    """The parts that may stand at a field of a part (or in a tuple there) by their kinds; None where it says all."""
    found = next((each for each in owner.model_fields[name].metadata if isinstance(each, Registry)), None)
    return None if found is None else {kind: found[kind].fields for kind in found}
