"""Declarations of plug-ins, and tables of those that are not parts of a scene."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from snakestudio.errors import MistakeError
from snakestudio.plugins.column_names import pattern_of
from snakestudio.plugins.result_types import hints_of, result_hint

V = TypeVar("V")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")


class Declaration:
    """Base class of everything that a file can declare as its `KIND`."""

    role: ClassVar[str]
    """Role as a word, such as "gait"."""

    registry: ClassVar[Any]
    """`Registry` or `Table` of the declarations of this class."""

    one_per_run: ClassVar[str] = ""
    """Part of a run that declarations of some classes share, such as "motion": a run has only one of
    them, so that two can have columns of the same name. "" if a run can have several."""

    calls: ClassVar[Mapping[str, str]] = {}
    """Arguments of its functions, by field: {"make": "scene, start"}."""

    makes: ClassVar[Mapping[str, str]] = {}
    """Interface of the objects that its functions create, "module:class", by field."""

    @property
    def kind_name(self) -> str:
        """Name in scenes, expressions and files."""
        fields: Any = getattr(self, "fields", None)
        info = getattr(fields, "model_fields", {}).get("kind")
        name = None if info is None else info.get_default()
        if not isinstance(name, str):
            what = (
                f"the fields {getattr(fields, '__name__', fields)!r} of a {self.role} have no kind"
            )
            raise MistakeError(what, 'declare kind: Literal["NAME"] = "NAME" in them')
        return name

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that it adds to runs, with `{}` for a number; those that are known before a run."""
        return ()

    def built_in_rivals(self) -> Iterable[Declaration]:
        """Return the built-in declarations that can add columns to the same run."""
        return ()

    def shared_column(self, other: Declaration) -> str:
        """Return the first of its columns that another declaration has, too; "" if there is none."""
        theirs = pattern_of(other.columns)
        for name in self.columns:
            own = pattern_of((name,))
            if theirs.fullmatch(name.replace("{}", "1")) or any(
                own.fullmatch(each.replace("{}", "1")) for each in other.columns
            ):
                return name
        return ""

    def arguments(self, name: str) -> tuple[str, ...]:
        """Return the arguments that the function in a field gets."""
        return tuple(each.strip() for each in self.calls[name].split(","))

    def result(self, name: str) -> Any:
        """Return the type hint of the result of the function in a field."""
        return result_hint(hints_of(type(self)).get(name, Any))

    def register(self, source: str) -> None:
        """Add the declaration to the registry of its class; `source` is the name of the plug-in."""
        self.registry.add(self.kind_name, self, source)

    def withdraw(self) -> None:
        """Remove the declaration from the registry of its class."""
        self.registry.discard(self.kind_name)

    def mistake(self) -> tuple[str, str] | None:
        """Return the problem of the declaration and its remedy; None if it is valid."""
        if not _NAME.fullmatch(self.kind_name):
            return f'"{self.kind_name}" is not a valid name', "use lower-case letters, digits and _"
        return None


class Table(dict[str, V]):
    """Declarations by name that are not parts of a scene, built in or from plug-ins."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._sources: dict[str, str] = {}

    def add(self, name: str, declaration: V, source: str) -> None:
        """Add the declaration of a plug-in; `source` is the name of the plug-in."""
        self[name] = declaration
        self._sources[name] = source

    def discard(self, name: str) -> None:
        """Remove a declaration that `add` added."""
        del self[name], self._sources[name]

    def source(self, name: str) -> str:
        """Return the plug-in of a declaration; "" for a built-in one."""
        return self._sources.get(name, "")
