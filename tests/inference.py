"""Inference of the class of an expression from annotations and constructors, to find the owner of an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef

_TRANSPARENT = frozenset({"Final", "ClassVar", "Annotated", "Optional"})


@dataclass
class Known:
    """Class of the package.

    Attributes
    ----------
    bases : set of str
    members : dict of str to expression
        Annotation of each attribute and property, and return annotation of each method; None if
        unknown.
    """

    bases: set[str] = field(default_factory=set)
    members: dict[str, ast.expr | None] = field(default_factory=dict)


class Types:
    """Classes and functions of the package by name; names are nearly always unique.

    Parameters
    ----------
    classes, functions : iterable
    settings : iterable
        All statements that set something within a method, with the method and its class.
    """

    def __init__(
        self,
        classes: Iterable[ast.ClassDef],
        functions: Iterable[Function],
        settings: Iterable[tuple[ast.Assign | ast.AnnAssign, Function, ast.ClassDef]],
    ) -> None:
        self.classes: dict[str, Known] = {}
        self.returned = {each.name: each.returns for each in functions if each.returns is not None}
        for each in classes:
            known = self.classes.setdefault(each.name, Known())
            known.bases |= {last(base) for base in each.bases}
            for line in each.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    known.members[line.target.id] = line.annotation
                elif isinstance(line, Function):
                    known.members.setdefault(line.name, line.returns)
        parameter_types: dict[int, dict[str, ast.expr]] = {}
        for statement, method, owner in settings:
            if id(method) not in parameter_types:
                parameter_types[id(method)] = parameters(method)
            self._learn(self.classes[owner.name].members, statement, parameter_types[id(method)])

    def _learn(
        self,
        members: dict[str, ast.expr | None],
        statement: ast.Assign | ast.AnnAssign,
        parameter_types: dict[str, ast.expr],
    ) -> None:
        """Record what a statement reveals of an attribute: annotation, constructor or type of a parameter."""
        if isinstance(statement, ast.AnnAssign):
            if _own(statement.target):
                members[last(statement.target)] = statement.annotation
            return
        for target, value in paired(statement):
            if _own(target) and members.get(last(target)) is None:
                members[last(target)] = _constructed(value, parameter_types)

    def member(self, name: str, attribute: str) -> ast.expr | None:
        """Return the annotation of an attribute of a class or its bases."""
        known = self.classes.get(name)
        if known is None:
            return None
        own = known.members.get(attribute)
        return (
            own
            if own is not None
            else next(
                (
                    annotation
                    for base in sorted(known.bases)
                    if base != name and (annotation := self.member(base, attribute))
                ),
                None,
            )
        )

    def of(
        self, node: ast.expr, function: Function | None, owner: ast.ClassDef | None
    ) -> ast.expr | None:
        """Return the annotation of an expression within a method; None if unknown."""
        match node:
            case ast.Name("self" | "cls"):
                return ast.Name(owner.name) if owner is not None else None
            case ast.Name():
                return self._of_name(node.id, function, owner)
            case ast.Attribute():
                return self.member(named(self.of(node.value, function, owner)), node.attr)
            case ast.Call(func=ast.Name(name)):
                return ast.Name(name) if name in self.classes else self.returned.get(name)
            case ast.Call(func=ast.Attribute() as method):
                if last(method) in self.classes:
                    return method
                return self.of(method, function, owner)
            case ast.Subscript():
                return item(self.of(node.value, function, owner))
        return None

    def _of_name(
        self, name: str, function: Function | None, owner: ast.ClassDef | None
    ) -> ast.expr | None:
        if function is None:
            return None
        parameter_types = parameters(function)
        if name in parameter_types:
            return parameter_types[name]
        for node in ast.walk(function):
            match node:
                case ast.AnnAssign(target=ast.Name(local)) if local == name:
                    return node.annotation
                case ast.Assign():
                    for target, value in paired(node):
                        if (
                            isinstance(target, ast.Name)
                            and target.id == name
                            and not mentions(value, name)
                        ):
                            return self.of(value, function, owner)
                case ast.For(target=ast.Name(local)) if local == name and not mentions(
                    node.iter, name
                ):
                    return item(self.of(node.iter, function, owner))
        return None


def parameters(function: Function) -> dict[str, ast.expr]:
    """Return the annotations of a function's parameters."""
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return {each.arg: each.annotation for each in every if each.annotation is not None}


def paired(node: ast.Assign) -> Iterable[tuple[ast.expr, ast.expr]]:
    """Pairs of target and value of an assignment, if the values are written separately."""
    for target in node.targets:
        if isinstance(target, ast.Tuple):
            if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts):
                yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def mentions(node: ast.expr, name: str) -> bool:
    """Whether a name occurs in an expression."""
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _own(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    )


def _constructed(value: ast.expr, parameter_types: dict[str, ast.expr]) -> ast.expr | None:
    if isinstance(value, ast.Name):
        return parameter_types.get(value.id)
    if isinstance(value, ast.BoolOp):
        return next(
            (
                annotation
                for each in value.values
                if (annotation := _constructed(each, parameter_types)) is not None
            ),
            None,
        )
    return value.func if isinstance(value, ast.Call) and last(value)[:1].isupper() else None


def last(node: ast.AST | None) -> str:
    """Return the last part of a dotted name, of a called or of a subscripted one."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def plain(annotation: ast.expr | None) -> ast.expr | None:
    """Return an annotation without quotes, `| None` and qualifiers."""
    while True:
        match annotation:
            case ast.Constant(value=str(text)):
                annotation = ast.parse(text, mode="eval").body
            case ast.BinOp(op=ast.BitOr()):
                left = isinstance(annotation.left, ast.Constant) and annotation.left.value is None
                annotation = annotation.right if left else annotation.left
            case ast.Subscript() if last(annotation) in _TRANSPARENT:
                inner = annotation.slice
                annotation = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            case _:
                return annotation


def named(annotation: ast.expr | None) -> str:
    """Return the class that an annotation names; for a generic one, the container."""
    return last(plain(annotation))


def item(annotation: ast.expr | None) -> ast.expr | None:
    """Return the type of a container's elements: the last argument of its annotation, except dots."""
    container = plain(annotation)
    if not isinstance(container, ast.Subscript):
        return None
    kinds = container.slice.elts if isinstance(container.slice, ast.Tuple) else [container.slice]
    return next(
        (
            kind
            for kind in reversed(kinds)
            if not (isinstance(kind, ast.Constant) and kind.value is ...)
        ),
        None,
    )
