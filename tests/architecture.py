"""How the package is built, counted: circles and chains of imports, reaching into others, kinds that are named.

    python -m tests.architecture              # every count beside its bar
    python -m tests.architecture circles      # one of them, with every place that it counts

`test_architecture` holds each count to its bar. All imports count: in functions and under
`TYPE_CHECKING`, too. Files are parsed once and never imported.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import NamedTuple

from tests.inference import Function, Types, last, named
from tests.layout_measures import (
    Found,
    by_file,
    copied_lines,
    format_skips,
    listed_names,
    parallel_assignments,
    private_in_tests,
    quoted_phrases,
)
from tests.polling import polling_timers_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "snakestudio"


@dataclass
class Module:
    """One file, and what of it is counted.

    Attributes
    ----------
    name : str
        Dotted, without the package: "gui.viewport.tool", or "" of the package's own `__init__`.
    path : Path
    lines : int
    is_package : bool
        Whether it is an `__init__`.
    imports : dict of str to int
        Names of modules and of what is taken from them, dotted, with the line.
    attributes, names, texts, compared, subscripts, classes, functions : list
        Nodes of these kinds.
    instances : list
        Calls of `isinstance`.
    assigned : list
        Attributes that are set, each with the function and the class around it.
    settings : list
        Statements in methods that set something, with the method and its class.
    """

    name: str
    path: Path
    lines: int
    is_package: bool
    imports: dict[str, int] = field(default_factory=dict)
    attributes: list[ast.Attribute] = field(default_factory=list)
    names: list[ast.Name] = field(default_factory=list)
    texts: list[ast.Constant] = field(default_factory=list)
    compared: list[ast.Compare] = field(default_factory=list)
    subscripts: list[ast.Subscript] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    instances: list[ast.Call] = field(default_factory=list)
    assigned: list[tuple[ast.Attribute, Function | None, ast.ClassDef | None]] = field(
        default_factory=list
    )
    settings: list[tuple[ast.Assign | ast.AnnAssign, Function, ast.ClassDef]] = field(
        default_factory=list
    )

    def at(self, node: ast.expr | ast.stmt) -> str:
        """Where a node stands, for people and editors."""
        return f"{self.file}:{node.lineno}: {ast.unparse(node)}"

    @property
    def file(self) -> str:
        """Its path from the root of the checkout."""
        return self.path.as_posix()[self.path.as_posix().rindex(f"/{PACKAGE}/") + 1 :]

    def within(self, *packages: str) -> bool:
        """Whether it lies in one of these packages; "" is the whole."""
        return any(
            not package or self.name == package or self.name.startswith(f"{package}.")
            for package in packages
        )


def read(path: Path, root: Path) -> Module:
    """Parse one file."""
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    text = path.read_bytes()
    module = Module(
        ".".join(parts[:-1] if is_package else parts), path, text.count(b"\n"), is_package
    )
    _collect(module, ast.parse(text))
    return module


def _collect(module: Module, tree: ast.Module) -> None:
    """Walk over all of a file once: that is a third of the time it takes."""
    stack: list[tuple[ast.AST, Function | None, ast.ClassDef | None]] = [(tree, None, None)]
    while stack:
        node, function, owner = stack.pop()
        if isinstance(node, ast.Name):
            module.names.append(node)
            continue
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                module.texts.append(node)
            continue
        if isinstance(node, ast.Attribute):
            module.attributes.append(node)
            if isinstance(node.ctx, ast.Store):
                module.assigned.append((node, function, owner))
            stack.append((node.value, function, owner))
            continue
        if isinstance(node, ast.Compare):
            module.compared.append(node)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                module.instances.append(node)
        elif isinstance(node, ast.Subscript):
            module.subscripts.append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if function is not None and owner is not None:
                module.settings.append((node, function, owner))
        elif isinstance(node, ast.Import):
            module.imports.update((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _from(module, node)
            module.imports.update((f"{base}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            module.classes.append(node)
            owner = node
        elif isinstance(node, Function):
            module.functions.append(node)
            function = node
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                stack.append((value, function, owner))
            elif type(value) is list:
                stack.extend((item, function, owner) for item in value if isinstance(item, ast.AST))


def _from(module: Module, node: ast.ImportFrom) -> str:
    """Dotted name of what `from ... import` takes from."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".") if module.name else []
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join((PACKAGE, *kept, *([node.module] if node.module else [])))


class Class(NamedTuple):
    """A class of the package.

    Attributes
    ----------
    name, module : str
    is_value : bool
        Whether it is a data class, a named tuple or checked by pydantic.
    members : set of str
        What it declares, and sets on itself.
    """

    name: str
    module: str
    is_value: bool
    members: set[str]


def _is_value(node: ast.ClassDef, values: set[str]) -> bool:
    marked = any(last(mark).startswith("dataclass") for mark in node.decorator_list)
    return marked or any(last(base) in values for base in node.bases)


class Package:
    """All files under a folder that is the package."""

    def __init__(self, root: Path = ROOT / PACKAGE) -> None:
        collecting = gc.isenabled()
        gc.disable()  # a million nodes that all stay: the collector would take longer than the parser
        try:
            found = (
                read(path, root) for path in sorted(root.rglob("*.py")) if "_data" not in path.parts
            )
            self.modules = {module.name: module for module in found}
            gc.freeze()
        finally:
            if collecting:
                gc.enable()
        self.root = root

    # -------------------------------------------------------------------------------------- imports

    @cached_property
    def imports(self) -> dict[str, dict[str, int]]:
        """Which modules each one imports, with the line: the deepest module that a name leads to."""
        return {name: dict(self._imported(module)) for name, module in self.modules.items()}

    def _imported(self, module: Module) -> Iterator[tuple[str, int]]:
        for wanted, line in module.imports.items():
            if wanted == PACKAGE or wanted.startswith(f"{PACKAGE}."):
                name = wanted[len(PACKAGE) + 1 :]
                while name not in self.modules:
                    name = name.rpartition(".")[0]
                if name != module.name:
                    yield name, line

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """Which modules import each one."""
        found: dict[str, set[str]] = {name: set() for name in self.modules}
        for name, imported in self.imports.items():
            for other in imported:
                found[other].add(name)
        return found

    @cached_property
    def components(self) -> list[list[str]]:
        """Modules in groups: each alone, or those that import each other in a circle; what is imported first."""
        return strongly_connected(
            {name: imported.keys() for name, imported in self.imports.items()}
        )

    # -------------------------------------------------------------------------------------- classes

    @cached_property
    def classes(self) -> list[Class]:
        """All classes, with what they declare and set on themselves."""
        every = [(module, each) for module in self.modules.values() for each in module.classes]
        values = {"BaseModel", "NamedTuple"}
        while more := {each.name for _, each in every if _is_value(each, values)} - values:
            values |= more
        members: dict[int, set[str]] = defaultdict(set)
        for module in self.modules.values():
            for node, _, owner in module.assigned:
                if owner is not None and _is_self(node.value):
                    members[id(owner)].add(node.attr)
        for _, each in every:
            members[id(each)] |= {
                last(line.target) for line in each.body if isinstance(line, ast.AnnAssign)
            }
            members[id(each)] |= {line.name for line in each.body if isinstance(line, Function)}
        return [
            Class(each.name, module.name, _is_value(each, values), members[id(each)])
            for module, each in every
        ]

    @cached_property
    def types(self) -> Types:
        """What is known of the package's classes and functions."""
        every = self.modules.values()
        return Types(
            (each for module in every for each in module.classes),
            (each for module in every for each in module.functions),
            (each for module in every for each in module.settings),
        )

    @cached_property
    def by_name(self) -> dict[str, list[Class]]:
        """Classes by their names; some are given twice."""
        found: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            found[each.name].append(each)
        return found

    @cached_property
    def by_module(self) -> dict[str, list[Class]]:
        """Classes by the modules that declare them."""
        found: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            found[each.module].append(each)
        return found

    @cached_property
    def by_member(self) -> dict[str, list[Class]]:
        """Classes by the names of their members."""
        found: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            for member in each.members:
                found[member].append(each)
        return found

    @cached_property
    def declared(self) -> dict[str, tuple[str, str]]:
        """Classes that declare a kind (`kind: Literal["box"]`): the kind's name, and the module, by the class' name."""
        found = {}
        for name, module in self.modules.items():
            for each in module.classes:
                for line in each.body:
                    if isinstance(line, ast.AnnAssign) and last(line.target) == "kind":
                        kind = _only_literal(line.annotation)
                        if kind:
                            found[each.name] = (kind, name)
        return found

    @cached_property
    def formulations(self) -> list[str]:
        """Names of the formulations: folders of engines."""
        return [
            name.split(".")[1] for name, module in self.modules.items() if _is_engine(name, module)
        ]


def _is_engine(name: str, module: Module) -> bool:
    return module.is_package and name.startswith("engines.") and name.count(".") == 1


def _only_literal(node: ast.expr) -> str:
    if (
        isinstance(node, ast.Subscript)
        and last(node) == "Literal"
        and isinstance(node.slice, ast.Constant)
    ):
        return str(node.slice.value)
    return ""


def strongly_connected(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of nodes that lead to each other (Tarjan), those that are led to before those that lead there."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    waiting: set[str] = set()
    found: list[list[str]] = []
    for root in edges:
        if root in order:
            continue
        work = [(root, iter(edges[root]))]
        order[root] = low[root] = len(order)
        open_.append(root)
        waiting.add(root)
        while work:
            node, following = work[-1]
            new = None
            for other in following:
                if other not in order:
                    new = other
                    break
                if other in waiting:
                    low[node] = min(low[node], order[other])
            if new is not None:
                order[new] = low[new] = len(order)
                open_.append(new)
                waiting.add(new)
                work.append((new, iter(edges[new])))
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                group: list[str] = []
                while not group or group[-1] != node:
                    group.append(open_.pop())
                    waiting.discard(group[-1])
                found.append(sorted(group))
    return found


# ---------------------------------------------------------------------------------- what is counted


@dataclass(frozen=True)
class Measure:
    """One count.

    Attributes
    ----------
    name : str
    what : str
        What is counted.
    count : int
    places : tuple of str
        Everything that counts, or what is the largest; the worst first where they differ.
    """

    name: str
    what: str
    count: int
    places: tuple[str, ...]


def measures(package: Package) -> list[Measure]:
    """All counts of a package."""
    return [
        Measure(name, " ".join((of.__doc__ or "").split()), *of(package))
        for name, of in MEASURES.items()
    ]


def architecture_bytes(package: Package) -> Found:
    """Bytes of ARCHITECTURE.md."""
    size = (package.root.parent / "ARCHITECTURE.md").stat().st_size
    return size, ()


def circles(package: Package) -> Found:
    """Groups of modules that import each other in a circle."""
    found = sorted((group for group in package.components if len(group) > 1), key=len, reverse=True)
    return len(found), tuple(f"{len(group)}: {', '.join(group)}" for group in found)


def in_circles(package: Package) -> Found:
    """Modules that are part of a circle of imports."""
    found = [name for group in package.components if len(group) > 1 for name in group]
    return len(found), tuple(sorted(found))


def chain_in_gui(package: Package) -> Found:
    """Modules in the longest chain of imports within gui, each circle taken as one."""
    group_of = {name: tuple(group) for group in package.components for name in group}
    longest: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in map(tuple, package.components):
        if not any(package.modules[name].within("gui") for name in group):
            continue
        below = {
            group_of[other]
            for name in group
            for other in package.imports[name]
            if package.modules[other].within("gui")
        }
        way = max((longest[other] for other in sorted(below - {group})), key=len, default=[])
        longest[group] = [group, *way]
    way = max(longest.values(), key=len)
    return len(way), tuple(
        group[0] if len(group) == 1 else f"circle of {len(group)}: {group[0]} ..." for group in way
    )


def private_members(package: Package) -> Found:
    """Private members (`_x`) of another module's objects that are reached for.

    Those of `self`, of classes that the same module declares, and of libraries are not counted: the
    latter stand in `private_of_libraries`.
    """
    imported = [
        f"{module.file}:{line}: {name}"
        for module in package.modules.values()
        for name, line in module.imports.items()
        if name.startswith(f"{PACKAGE}.") and _is_private(name.rpartition(".")[2])
        if name[len(PACKAGE) + 1 :] not in package.modules
    ]
    return by_file([*imported, *(place for place, ours in _reached_for(package) if ours)])


def private_of_libraries(package: Package) -> Found:
    """Private members (`_x`) of objects of libraries that are reached for."""
    return by_file(place for place, ours in _reached_for(package) if not ours)


def _reached_for(package: Package) -> Iterator[tuple[str, bool]]:
    """Where private members are reached for, and whether classes of the package have such a one."""
    for module in package.modules.values():
        own = {each.name for each in module.functions} | {
            member for each in package.by_module[module.name] for member in each.members
        }
        for node in module.attributes:
            if _is_private(node.attr) and node.attr not in own and not _is_self(node.value):
                # What compiles leans on numba's inner parts, and meets no object but its own.
                near = ("kernels",) if module.within("kernels") else ("",)
                having = (
                    package.modules[each.module] for each in package.by_member.get(node.attr, ())
                )
                yield module.at(node), any(each.within(*near) for each in having)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in _PUBLIC


_PUBLIC = ("_replace", "_asdict", "_fields", "_make", "_exit")
"""Documented members of named tuples and of `os` whose names begin with an underscore."""


def _is_self(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in ("self", "cls")) or (
        isinstance(node, ast.Call) and last(node) == "super"
    )


def set_elsewhere(package: Package) -> Found:
    """Assignments in gui to an attribute of another object, `x.y = ...` where x is not `self`.

    Values count not (data classes, named tuples), nor objects of libraries, nor those of classes
    that the same module declares. Of which class x is, annotations and constructors say; where they
    do not, the assignment counts if a class of the package that is no value has an attribute of
    that name.
    """
    places = []
    for module in package.modules.values():
        if not module.within("gui"):
            continue
        for node, function, owner in module.assigned:
            if not _is_self(node.value):
                kind = named(package.types.of(node.value, function, owner))
                called_so = package.by_name.get(kind, [])
                having = [each for each in called_so if node.attr in each.members] or called_so
                if not kind:
                    having = package.by_member.get(node.attr, [])
                if any(not each.is_value and each.module != module.name for each in having):
                    places.append(module.at(node))
    return by_file(places)


def literal_indices(package: Package) -> Found:
    """Subscripts in kernels and engines with a literal in a tuple of indices, `a[k, 0]`; not in vec3 and octet."""
    return by_file(
        module.at(node)
        for module in package.modules.values()
        if module.within("kernels", "engines")
        and module.name.rpartition(".")[2] not in ("vec3", "octet")
        for node in module.subscripts
        if isinstance(node.slice, ast.Tuple) and any(map(_is_whole_number, node.slice.elts))
    )


def _is_whole_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def continuum_asked(package: Package) -> Found:
    """Places where it is asked which body it is (`.continuum`, or a body's class), but in a kind's own folder."""
    return by_file(_asking_for_continuum(package))


def continuum_asking(package: Package) -> Found:
    """Files in which that is asked."""
    found = Counter(place.partition(":")[0] for place in _asking_for_continuum(package))
    return len(found), tuple(f"{file}: {count}" for file, count in found.most_common())


_BODIES = ("ChainBody", "ContinuousBody")


def _asking_for_continuum(package: Package) -> Iterator[str]:
    for module in package.modules.values():
        if not module.within("engines.continuum_beam"):
            for node in module.attributes:
                if (
                    node.attr == "continuum"
                    and isinstance(node.ctx, ast.Load)
                    and not _is_self(node.value)
                ):
                    yield module.at(node)
            for call in module.instances:
                if any(isinstance(one, ast.Name) and one.id in _BODIES for one in ast.walk(call)):
                    yield module.at(call)


def naming_formulations(package: Package) -> Found:
    """Files that name a formulation ("planar_nonsmooth") which is not that of their own folder."""
    found = []
    for module in package.modules.values():
        own = next((kind for kind in package.formulations if module.within(f"engines.{kind}")), "")
        named_ = {
            str(node.value) for node in module.texts if node.value in package.formulations
        } - {own}
        if named_:
            found.append((module.file, sorted(named_)))
    found.sort(key=lambda each: (-len(each[1]), each[0]))
    return len(found), tuple(f"{file}: {', '.join(kinds)}" for file, kinds in found)


def naming_kinds(package: Package) -> Found:
    """Files that name another kind of gait, controller, shape, start, strain law or support than their own.

    A kind is a class with a field `kind: Literal["..."]`. It is named by that class, or by its name
    where a `.kind` is compared with it. The file that declares it is its own, and one whose name
    begins as the kind's.
    """
    found = []
    for module in package.modules.values():
        compared = {
            str(text.value)
            for node in module.compared
            if any(
                isinstance(each, ast.Attribute) and each.attr == "kind"
                for each in (node.left, *node.comparators)
            )
            for each in (node.left, *node.comparators)
            for text in ast.walk(each)
            if isinstance(text, ast.Constant)
        }
        mentioned = {name.rpartition(".")[2] for name in module.imports if _is_kind(package, name)}
        others = {
            kind
            for name, (kind, where) in package.declared.items()
            if (name in mentioned or kind in compared)
            and where != module.name
            and not _of_kind(module, kind)
        }
        if others:
            found.append((module.file, sorted(others)))
    found.sort(key=lambda each: (-len(each[1]), each[0]))
    return len(found), tuple(f"{file}: {', '.join(kinds)}" for file, kinds in found)


def _is_kind(package: Package, imported: str) -> bool:
    """Whether an import takes a kind's class; another class may have the same name."""
    module, _, name = imported.rpartition(".")
    module = module.removeprefix(f"{PACKAGE}.")
    if not imported.startswith(PACKAGE) or name not in package.declared:
        return False
    return package.declared[name][1] == module or name not in {
        each.name for each in package.by_module[module]
    }


def _of_kind(module: Module, kind: str) -> bool:
    return any(part.startswith(kind) for part in module.name.split("."))


def window_attributes(package: Package) -> Found:
    """Attributes that the main window offers."""
    for module in package.modules.values():
        for each in module.classes:
            if each.name == "MainWindow":
                names = [last(line.target) for line in each.body if isinstance(line, ast.AnnAssign)]
                return len(names), tuple(names)
    return 0, ()


def window_importers(package: Package) -> Found:
    """Modules that import the main window's."""
    where = next(
        name
        for name, module in package.modules.items()
        if "MainWindow" in [c.name for c in module.classes]
    )
    found = sorted(package.importers[where])
    return len(found), tuple(found)


_NAMED_ARM = re.compile(r"(^|_)arm(ing)?(_|$)")
_OTHER_ARMS = {"sequences", "options", "boxes"}
"""`sequences.arm`: steps of a profile; `options.arm`: of the command line; `boxes.arm`: a tool
waits for a click."""


def passing_on_arming(package: Package) -> Found:
    """Classes on the longest way of the order to arm: those that take it, and pass it on or decide upon it.

    The order is the operator's wish, from the button to where all reasons against it are asked. A
    class takes it if a method of it is named for it (`arm`, `_arm`, `begin_arming`; a property only
    tells), has a command of the link among its parameters (`LinkCommand`, `CommandKind`), calls or
    hands over another's `arm`, or has "arm" as an argument or a case; code outside of classes
    counts as a class. The button that is held does what it was given, and counts as who gives it.
    Window and command line are two begins of one way. Not counted: protocols; queues, pipe and
    inbox, which carry any message unread; and what carries out an order that was accepted, the arm
    sequence (`TorqueControl`, which can refuse nothing).
    """
    found = sorted(
        {
            f"{module.name}.{name}"
            for module in package.modules.values()
            for name in _taking_arm(module)
        }
    )
    begins = Counter(place.partition(".")[0] for place in found)
    return len(found) - min(begins["gui"], begins["cli"]), tuple(found)


def _taking_arm(module: Module) -> Iterator[str]:
    if module.within("gui.viewport"):  # where that tool is
        return
    inside: set[int] = set()
    for each in module.classes:
        inside.update(id(node) for node in ast.walk(each))
        if not any(last(base) == "Protocol" for base in each.bases) and any(
            map(_takes_arm, ast.walk(each))
        ):
            yield each.name
    if any(_takes_arm(node) for node in module.attributes if id(node) not in inside):
        yield "(module)"


def _takes_arm(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name):
            tells = any(last(mark) == "property" for mark in node.decorator_list)
            taken = {
                last(part)
                for arg in node.args.args
                if arg.annotation
                for part in _names(arg.annotation)
            }
            return (bool(_NAMED_ARM.search(name)) and not tells) or bool(
                taken & {"LinkCommand", "CommandKind"}
            )
        case ast.Attribute(attr="arm", value=value):
            return last(value) not in _OTHER_ARMS
        case ast.Call(args=args):
            return any(isinstance(each, ast.Constant) and each.value == "arm" for each in args)
        case ast.MatchValue(value=ast.Constant(value="arm")):
            return True
    return False


def _names(annotation: ast.expr) -> list[ast.expr]:
    return [node for node in ast.walk(annotation) if isinstance(node, ast.Name | ast.Attribute)]


def polling_timers(package: Package) -> Found:
    """Timers in gui that ask again and again whether something has happened, where a signal could say so.

    Every timer counts that fires again and again by itself, other than those that keep time
    (`polling.CLOCKS`).
    """
    places = []
    for module in package.modules.values():
        if module.within("gui") and b"Timer" in module.path.read_bytes():
            file = module.file.removeprefix(f"{PACKAGE}/")
            methods = {
                id(node)
                for each in module.classes
                for node in ast.walk(each)
                if isinstance(node, Function)
            }
            functions = [each for each in module.functions if id(each) not in methods]
            timers = set(polling_timers_of(file, [*module.classes, *functions]))
            places += [f"{module.file}:{line}: {timer}" for line, timer in sorted(timers)]
    return by_file(places)


_LAYING_OUT = {"addWidget", "addLayout", "addRow", "insertWidget", "insertLayout", "insertRow"}
_ROW_LAYOUTS = {"QFormLayout", "QGridLayout"}
_MOST_PARTS = 4
"""Parts that a dialog may add to layouts of its own, such as what it makes while it is open."""


def handmade_dialogs(package: Package) -> Found:
    """Dialogs that build their rows by hand instead of declaring them.

    A dialog does where its class adds more than four parts to layouts, or where its module, or one
    of the same package that it imports, lays rows out in a grid or form. What `gui.forms` builds is
    what all others use.
    """
    parents = {each.name: [last(base) for base in each.bases] for _, each in _every_class(package)}
    found = []
    for module, each in _every_class(package):
        if (
            not module.within("gui")
            or module.within("gui.forms")
            or not _descends(each.name, "Dialog", parents)
        ):
            continue
        own = module.name.rpartition(".")[0]
        near = [name for name in package.imports[module.name] if name.rpartition(".")[0] == own]
        parts = sum(
            isinstance(node, ast.Attribute) and node.attr in _LAYING_OUT for node in ast.walk(each)
        )
        rows = [name for name in (module.name, *near) if _lays_rows_out(package.modules[name])]
        if parts > _MOST_PARTS or rows:
            found.append(
                (parts, ", ".join([f"{module.file}: {each.name}", f"{parts} parts", *rows]))
            )
    found.sort(key=lambda place: (-place[0], place[1]))
    return len(found), tuple(place for _, place in found)


def _every_class(package: Package) -> Iterator[tuple[Module, ast.ClassDef]]:
    return ((module, each) for module in package.modules.values() for each in module.classes)


def _descends(name: str, ancestor: str, parents: Mapping[str, list[str]]) -> bool:
    """Whether a class is another one's child, or its children's."""
    above = parents.get(name, [])
    return ancestor in above or any(
        each != name and _descends(each, ancestor, parents) for each in above
    )


def _lays_rows_out(module: Module) -> bool:
    return any(name.id in _ROW_LAYOUTS and isinstance(name.ctx, ast.Load) for name in module.names)


def _of_files(count: Callable[[Path], Found]) -> Callable[[Package], Found]:
    """A count over files, as one of a package."""

    @wraps(count)
    def of(package: Package) -> Found:
        return count(package.root.parent)

    return of


MEASURES: dict[str, Callable[[Package], Found]] = {
    of.__name__: of
    for of in (
        circles,
        in_circles,
        chain_in_gui,
        private_members,
        private_of_libraries,
        set_elsewhere,
        literal_indices,
        continuum_asked,
        continuum_asking,
        naming_formulations,
        naming_kinds,
        passing_on_arming,
        window_attributes,
        window_importers,
        polling_timers,
        architecture_bytes,
        handmade_dialogs,
        _of_files(format_skips),
        _of_files(parallel_assignments),
        _of_files(copied_lines),
        _of_files(listed_names),
        _of_files(private_in_tests),
        _of_files(quoted_phrases),
    )
}
"""Every count by its name; what it counts stands in the function."""


def main(words: list[str]) -> int:
    """Print all counts, or some with every place."""
    from tests.test_architecture import BARS

    if unknown := [name for name in words if name not in MEASURES]:
        print(
            f"There is no count called {unknown[0]}; give one of {', '.join(MEASURES)}.",
            file=sys.stderr,
        )
        return 2
    print(f"{'':<22}{'count':>8}{'at most':>9}{'goal':>8}")
    for measure in measures(Package()):
        if words and measure.name not in words:
            continue
        bar = BARS[measure.name]
        goal = "" if bar.goal is None else bar.goal
        what = measure.what if words else measure.what.partition(". ")[0].removesuffix(".")
        print(f"{measure.name:<22}{measure.count:>8}{bar.most:>9}{goal:>8}  {what}")
        for place in measure.places if words else ():
            print(f"    {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
