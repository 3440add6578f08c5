"""What a plug-in declares, and where declarations are kept that are no parts of a scene."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TypeVar

from snakestudio.errors import MistakeError

V = TypeVar("V")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")


class Declaration:
    """Base of everything that a file can declare as its `KIND`: by it a plug-in is taken up."""

    role: ClassVar[str]
    """What it is, in a word: "gait"."""

    registry: ClassVar[Any]
    """Where declarations of this class are (a `Registry` or a `Table`)."""

    @property
    def kind_name(self) -> str:
        """By which scenes, expressions and files name it."""
        fields: Any = getattr(self, "fields", None)
        info = getattr(fields, "model_fields", {}).get("kind")
        name = None if info is None else info.get_default()
        if not isinstance(name, str):
            what = (
                f"the fields {getattr(fields, '__name__', fields)!r} of a {self.role} have no kind"
            )
            raise MistakeError(what, 'declare kind: Literal["NAME"] = "NAME" in them')
        return name

    def register(self, source: str) -> None:
        """Take it up where declarations of its class are; `source` is the plug-in's name."""
        self.registry.add(self.kind_name, self, source)

    def withdraw(self) -> None:
        """Remove it again."""
        self.registry.discard(self.kind_name)

    def mistake(self) -> tuple[str, str] | None:
        """What is wrong with the declaration and what to do; None if nothing is."""
        if not _NAME.fullmatch(self.kind_name):
            return f'"{self.kind_name}" is not usable as a name', "use small letters, digits and _"
        return None


class Table(dict[str, V]):
    """Declarations by name that are not parts of a scene: the program's own, and those that plug-ins add."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._sources: dict[str, str] = {}

    def add(self, name: str, declaration: V, source: str) -> None:
        """Take up the declaration of a plug-in; `source` is the plug-in's name."""
        self[name] = declaration
        self._sources[name] = source

    def discard(self, name: str) -> None:
        """Remove a declaration that `add` took up."""
        del self[name], self._sources[name]

    def source(self, name: str) -> str:
        """The plug-in that a declaration comes from; "" for the program's own."""
        return self._sources.get(name, "")
