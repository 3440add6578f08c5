"""Measures of the package's structure: import cycles and chains, accesses to private members, mentions of kinds.

    python -m tests.architecture              # all counts with their bars
    python -m tests.architecture circles      # one of them, with all places

`test_architecture` compares each count with its bar. All imports count, also in functions and under
`TYPE_CHECKING`. Files are parsed once and never imported.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tests.inference import Function, Types, last, named
from tests.layout_measures import (
    Count,
    by_file,
    copied_lines,
    format_skips,
    is_docstring,
    lines_of,
    listed_names,
    parallel_assignments,
    private_in_tests,
    quoted_phrases,
    without_collector,
)
from tests.polling import polling_timers_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "snakestudio"


@dataclass
class Module:
    """Parsed file.

    Attributes
    ----------
    name : str
        Dotted, without the package: "gui.viewport.tool", or "" for the package's own `__init__`.
    path : Path
    is_package : bool
        Whether the file is an `__init__`.
    imports : dict of str to int
        Dotted names of imported modules and members, with the line.
    text : str
    attributes, names, compared, subscripts, classes, functions, assignments : list
        Nodes of these types.
    texts : list
        Strings that are not docstrings.
    without_code : set of int
        Lines of imports and docstrings.
    instances : list
        Calls of `isinstance`.
    assigned : list
        Attributes that are set, each with the function and the class around it.
    settings : list
        Statements in methods that set something, with the method and its class.
    """

    name: str
    path: Path
    text: str
    is_package: bool
    imports: dict[str, int] = field(default_factory=dict)
    attributes: list[ast.Attribute] = field(default_factory=list)
    names: list[ast.Name] = field(default_factory=list)
    texts: list[ast.Constant] = field(default_factory=list)
    compared: list[ast.Compare] = field(default_factory=list)
    subscripts: list[ast.Subscript] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    assignments: list[ast.Assign] = field(default_factory=list)
    without_code: set[int] = field(default_factory=set)
    instances: list[ast.Call] = field(default_factory=list)
    assigned: list[tuple[ast.Attribute, Function | None, ast.ClassDef | None]] = field(
        default_factory=list
    )
    settings: list[tuple[ast.Assign | ast.AnnAssign, Function, ast.ClassDef]] = field(
        default_factory=list
    )

    def at(self, node: ast.expr | ast.stmt) -> str:
        """Location and source of a node."""
        return f"{self.file}:{node.lineno}: {ast.unparse(node)}"

    @property
    def file(self) -> str:
        """Path relative to the root of the checkout."""
        return self.path.as_posix()[self.path.as_posix().rindex(f"/{PACKAGE}/") + 1 :]

    def within(self, *packages: str) -> bool:
        """Whether the module is in one of these packages; "" is the package itself."""
        return any(
            not package or self.name == package or self.name.startswith(f"{package}.")
            for package in packages
        )


def read(path: Path, root: Path) -> Module:
    """Parse a file."""
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    text = path.read_text(encoding="utf-8")
    module = Module(".".join(parts[:-1] if is_package else parts), path, text, is_package)
    _collect(module, ast.parse(text))
    return module


def _collect(module: Module, tree: ast.Module) -> None:
    """Collect nodes in one walk, because a walk takes a third of the time of parsing."""
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
            if isinstance(node, ast.Assign):
                module.assignments.append(node)
            if function is not None and owner is not None:
                module.settings.append((node, function, owner))
        elif is_docstring(node):
            module.without_code.update(lines_of(node))
            continue
        elif isinstance(node, ast.Import):
            module.without_code.update(lines_of(node))
            module.imports.update((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module.without_code.update(lines_of(node))
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
    """Return the dotted name of the module of a `from ... import`."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".") if module.name else []
    parents = parts[: len(parts) - node.level + module.is_package]
    return ".".join((PACKAGE, *parents, *([node.module] if node.module else [])))


class Class(NamedTuple):
    """Class of the package.

    Attributes
    ----------
    name, module : str
    is_value : bool
        Whether it is a dataclass, a named tuple or a pydantic model.
    members : set of str
        Names declared in the class and set on `self`.
    """

    name: str
    module: str
    is_value: bool
    members: set[str]


def _is_value(node: ast.ClassDef, values: set[str]) -> bool:
    marked = any(last(mark).startswith("dataclass") for mark in node.decorator_list)
    return marked or any(last(base) in values for base in node.bases)


class Package:
    """All files in the folder of the package."""

    def __init__(self, root: Path = ROOT / PACKAGE) -> None:
        with without_collector():
            files = (
                read(path, root) for path in sorted(root.rglob("*.py")) if "_data" not in path.parts
            )
            self.modules = {module.name: module for module in files}
            gc.freeze()
        self.root = root

    # -------------------------------------------------------------------------------------- imports

    @cached_property
    def imports(self) -> dict[str, dict[str, int]]:
        """Modules imported by each module, with the line: the deepest module that a name leads to."""
        return {name: dict(self._imported(module)) for name, module in self.modules.items()}

    def _imported(self, module: Module) -> Iterator[tuple[str, int]]:
        for imported, line in module.imports.items():
            if imported == PACKAGE or imported.startswith(f"{PACKAGE}."):
                name = imported[len(PACKAGE) + 1 :]
                while name not in self.modules:
                    name = name.rpartition(".")[0]
                if name != module.name:
                    yield name, line

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """Modules that import each module."""
        importers: dict[str, set[str]] = {name: set() for name in self.modules}
        for name, imported in self.imports.items():
            for other in imported:
                importers[other].add(name)
        return importers

    @cached_property
    def components(self) -> list[list[str]]:
        """Modules in groups: single ones, or those of an import cycle; imported ones first."""
        return strongly_connected(
            {name: imported.keys() for name, imported in self.imports.items()}
        )

    # -------------------------------------------------------------------------------------- classes

    @cached_property
    def classes(self) -> list[Class]:
        """All classes, with their members."""
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
        """Types of the package's classes and functions."""
        every = self.modules.values()
        return Types(
            (each for module in every for each in module.classes),
            (each for module in every for each in module.functions),
            (each for module in every for each in module.settings),
        )

    @cached_property
    def by_name(self) -> dict[str, list[Class]]:
        """Classes by name; some names occur twice."""
        classes: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            classes[each.name].append(each)
        return classes

    @cached_property
    def by_module(self) -> dict[str, list[Class]]:
        """Classes by module."""
        classes: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            classes[each.module].append(each)
        return classes

    @cached_property
    def by_member(self) -> dict[str, list[Class]]:
        """Classes by the names of their members."""
        classes: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            for member in each.members:
                classes[member].append(each)
        return classes

    @cached_property
    def declared(self) -> dict[str, tuple[str, str]]:
        """Classes that declare a kind (`kind: Literal["box"]`): the kind's name and the module, by class name."""
        kinds = {}
        for name, module in self.modules.items():
            for each in module.classes:
                for line in each.body:
                    if isinstance(line, ast.AnnAssign) and last(line.target) == "kind":
                        kind = _only_literal(line.annotation)
                        if kind:
                            kinds[each.name] = (kind, name)
        return kinds

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
    """Return strongly connected groups of nodes (Tarjan), each after the groups that it leads to."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    waiting: set[str] = set()
    groups: list[list[str]] = []
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
                groups.append(sorted(group))
    return groups


# ------------------------------------------------------------------------------------------- counts


@dataclass(frozen=True)
class Measure:
    """One count.

    Attributes
    ----------
    name : str
    what : str
        Description of what is counted.
    count : int
    places : tuple of str
        All places that count, or the members of the largest one; the worst first where they differ.
    """

    name: str
    what: str
    count: int
    places: tuple[str, ...]


def measures(package: Package) -> list[Measure]:
    """Return all counts of a package."""
    return [
        Measure(name, " ".join((of.__doc__ or "").split()), *of(package))
        for name, of in MEASURES.items()
    ]


def architecture_bytes(package: Package) -> Count:
    """Size of ARCHITECTURE.md in bytes."""
    size = (package.root.parent / "ARCHITECTURE.md").stat().st_size
    return size, ()


def circles(package: Package) -> Count:
    """Groups of modules that import each other in a cycle."""
    groups = sorted(
        (group for group in package.components if len(group) > 1), key=len, reverse=True
    )
    return len(groups), tuple(f"{len(group)}: {', '.join(group)}" for group in groups)


def in_circles(package: Package) -> Count:
    """Modules that are part of an import cycle."""
    modules = [name for group in package.components if len(group) > 1 for name in group]
    return len(modules), tuple(sorted(modules))


def chain_in_gui(package: Package) -> Count:
    """Modules in the longest import chain within gui, with each cycle counted as one."""
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
        chain = max((longest[other] for other in sorted(below - {group})), key=len, default=[])
        longest[group] = [group, *chain]
    chain = max(longest.values(), key=len)
    return len(chain), tuple(
        group[0] if len(group) == 1 else f"circle of {len(group)}: {group[0]}..." for group in chain
    )


def private_members(package: Package) -> Count:
    """Accesses to private members (`_x`) of objects of other modules.

    Members of `self`, of classes that the same module declares, and of libraries do not count: the
    latter are in `private_of_libraries`.
    """
    imported = [
        f"{module.file}:{line}: {name}"
        for module in package.modules.values()
        for name, line in module.imports.items()
        if name.startswith(f"{PACKAGE}.") and _is_private(name.rpartition(".")[2])
        if name[len(PACKAGE) + 1 :] not in package.modules
    ]
    return by_file([*imported, *(location for location, ours in _reached_for(package) if ours)])


def private_of_libraries(package: Package) -> Count:
    """Accesses to private members (`_x`) of objects of libraries."""
    return by_file(location for location, ours in _reached_for(package) if not ours)


def _reached_for(package: Package) -> Iterator[tuple[str, bool]]:
    """Accesses to private members, and whether classes of the package declare such a member."""
    for module in package.modules.values():
        own = {each.name for each in module.functions} | {
            member for each in package.by_module[module.name] for member in each.members
        }
        for node in module.attributes:
            if _is_private(node.attr) and node.attr not in own and not _is_self(node.value):
                # The modules that compile use numba's internals, which have attributes of the same
                # names.
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


def set_elsewhere(package: Package) -> Count:
    """Assignments in gui to an attribute of another object, `x.y = ...` where x is not `self`.

    Values (dataclasses, named tuples), objects of libraries and of classes that the same module
    declares do not count. The class of x is known from annotations and constructors; if it is unknown,
    the assignment counts if a class of the package that is not a value has an attribute of that name.
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


def literal_indices(package: Package) -> Count:
    """Subscripts in kernels and engines with a literal in a tuple of indices, `a[k, 0]`, except in vec3 and octet."""
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


def continuum_asked(package: Package) -> Count:
    """Places that query the type of body (`.continuum`, or a body's class), outside the folder of its engine."""
    return by_file(_asking_for_continuum(package))


def continuum_asking(package: Package) -> Count:
    """Files that query the type of body."""
    counts = Counter(location.partition(":")[0] for location in _asking_for_continuum(package))
    return len(counts), tuple(f"{file}: {count}" for file, count in counts.most_common())


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


def naming_formulations(package: Package) -> Count:
    """Files that name a formulation ("planar_nonsmooth") without being in its folder."""
    files = []
    for module in package.modules.values():
        own = next((kind for kind in package.formulations if module.within(f"engines.{kind}")), "")
        named_ = {
            str(node.value) for node in module.texts if node.value in package.formulations
        } - {own}
        if named_:
            files.append((module.file, sorted(named_)))
    files.sort(key=lambda each: (-len(each[1]), each[0]))
    return len(files), tuple(f"{file}: {', '.join(kinds)}" for file, kinds in files)


def naming_kinds(package: Package) -> Count:
    """Files that name a kind of gait, controller, shape, start, strain law or support other than their own.

    A kind is a class with a field `kind: Literal["..."]`. A file names it by using that class, or by
    comparing a `.kind` with its name. The file that declares a kind is its own, and so are files whose
    names begin with the kind's name.
    """
    files = []
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
            files.append((module.file, sorted(others)))
    files.sort(key=lambda each: (-len(each[1]), each[0]))
    return len(files), tuple(f"{file}: {', '.join(kinds)}" for file, kinds in files)


def _is_kind(package: Package, imported: str) -> bool:
    """Whether an import is that of a kind's class; another class may have the same name."""
    module, _, name = imported.rpartition(".")
    module = module.removeprefix(f"{PACKAGE}.")
    if not imported.startswith(PACKAGE) or name not in package.declared:
        return False
    return package.declared[name][1] == module or name not in {
        each.name for each in package.by_module[module]
    }


def _of_kind(module: Module, kind: str) -> bool:
    return any(part.startswith(kind) for part in module.name.split("."))


def window_attributes(package: Package) -> Count:
    """Attributes of the main window."""
    for module in package.modules.values():
        for each in module.classes:
            if each.name == "MainWindow":
                names = [last(line.target) for line in each.body if isinstance(line, ast.AnnAssign)]
                return len(names), tuple(names)
    return 0, ()


def window_importers(package: Package) -> Count:
    """Modules that import the main window's module."""
    where = next(
        name
        for name, module in package.modules.items()
        if "MainWindow" in [c.name for c in module.classes]
    )
    importers = sorted(package.importers[where])
    return len(importers), tuple(importers)


_NAMED_ARM = re.compile(r"(^|_)arm(ing)?(_|$)")
_MENTIONED_ARM = re.compile(r"(?<![^\W_])arm(ing)?(?![^\W_])|LinkCommand|CommandKind")
_OTHER_ARMS = {"sequences", "options", "boxes"}
"""`sequences.arm`: steps of a profile; `options.arm`: an option of the command line; `boxes.arm`: a
tool waits for a click."""


def passing_on_arming(package: Package) -> Count:
    """Classes on the longest path of the arm command: those that receive it and pass it on or decide on it.

    The path is that of the operator's request, from the button to the check of all reasons against
    arming. A class is on it if it has a method named for arming (`arm`, `_arm`, `begin_arming`;
    properties only report), has a command of the link among its parameters (`LinkCommand`,
    `CommandKind`), calls or passes on another object's `arm`, or has "arm" as an argument or a case;
    code outside of classes counts as a class. The hold button only runs its callback; the class that
    supplies the callback counts. Window and command line are two starts of one path. Not counted:
    protocols; queues, pipe and inbox, which carry messages unread; and the arm sequence, which carries
    out an accepted command (`TorqueControl`, which cannot refuse).
    """
    classes = sorted(
        {
            f"{module.name}.{name}"
            for module in package.modules.values()
            for name in _taking_arm(module)
        }
    )
    begins = Counter(location.partition(".")[0] for location in classes)
    return len(classes) - min(begins["gui"], begins["cli"]), tuple(classes)


def _taking_arm(module: Module) -> Iterator[str]:
    if module.within("gui.viewport"):  # which has the tool with `boxes.arm`
        return
    if not _MENTIONED_ARM.search(module.text):  # no walk over the other modules, which are most
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


def polling_timers(package: Package) -> Count:
    """Timers in gui that poll for an event that a signal could report.

    All repeating timers count, except those that keep time (`polling.CLOCKS`).
    """
    places = []
    for module in package.modules.values():
        if module.within("gui") and ("Timer" in module.text or "Delay(" in module.text):
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
"""Most parts that a dialog may add to its own layouts, such as those made while it is open."""


def handmade_dialogs(package: Package) -> Count:
    """Dialogs that build their rows by hand instead of declaring them.

    A dialog counts if its class adds more than four parts to layouts, or if its module, or an imported
    one of the same package, lays out rows in a grid or form. The dialogs of `gui.forms` do not count,
    because all others use them.
    """
    parents = {each.name: [last(base) for base in each.bases] for _, each in _every_class(package)}
    dialogs = []
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
            dialogs.append(
                (parts, ", ".join([f"{module.file}: {each.name}", f"{parts} parts", *rows]))
            )
    dialogs.sort(key=lambda location: (-location[0], location[1]))
    return len(dialogs), tuple(location for _, location in dialogs)


def _every_class(package: Package) -> Iterator[tuple[Module, ast.ClassDef]]:
    return ((module, each) for module in package.modules.values() for each in module.classes)


def _descends(name: str, ancestor: str, parents: Mapping[str, list[str]]) -> bool:
    """Whether a class is derived from another, directly or not."""
    above = parents.get(name, [])
    return ancestor in above or any(
        each != name and _descends(each, ancestor, parents) for each in above
    )


def _lays_rows_out(module: Module) -> bool:
    return any(name.id in _ROW_LAYOUTS and isinstance(name.ctx, ast.Load) for name in module.names)


MEASURES: dict[str, Callable[[Package], Count]] = {
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
        format_skips,
        parallel_assignments,
        copied_lines,
        listed_names,
        private_in_tests,
        quoted_phrases,
    )
}
"""Counts by name; the docstring of each function describes what it counts."""


def main(names: list[str]) -> int:
    """Print all counts, or some with all their places."""
    from tests.test_architecture import BARS

    if unknown := [name for name in names if name not in MEASURES]:
        print(
            f"There is no count named {unknown[0]}. Name one of {', '.join(MEASURES)}.",
            file=sys.stderr,
        )
        return 2
    print(f"{'':<22}{'count':>8}{'at most':>9}{'goal':>8}")
    for measure in measures(Package()):
        if names and measure.name not in names:
            continue
        bar = BARS[measure.name]
        goal = "" if bar.goal is None else bar.goal
        what = measure.what if names else measure.what.partition(". ")[0].removesuffix(".")
        print(f"{measure.name:<22}{measure.count:>8}{bar.most:>9}{goal:>8}  {what}")
        for location in measure.places if names else ():
            print(f"    {location}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
