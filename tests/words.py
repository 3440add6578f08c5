"""Words that the program does not use, and what it says instead: in strings, docstrings, comments, pages and names.

    python -m tests.words                            # every count beside its bar
    python -m tests.words strings                    # every place of one kind
    python -m tests.words names snakestudio/control  # only those of a file or folder

`test_words` holds each count to its bar.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CODE = ("snakestudio", "tests", "packaging")
"""Folders with code of ours."""

COMPILED = (("snakestudio", "engines"), ("snakestudio", "kernels"))
"""Packages whose names of `NOUNS` are not counted: a change there compiles all engines again."""


class Word(NamedTuple):
    """A word or phrase that the program does not use."""

    pattern: str
    """Regular expression; it matches whole words, in either case."""
    use: str
    """What to write instead."""


class Allowed(NamedTuple):
    """Where a word is right."""

    pattern: str
    """Regular expression of the phrase around the word."""
    reason: str


class Hit(NamedTuple):
    """A word where it stands."""

    path: Path
    """Relative to the root of the project."""
    line: int
    """1-based."""
    text: str
    """The word with its neighbours."""
    use: str
    """What to write instead."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text!r}: {self.use}"


WORDS = (
    Word(r"mend(s|ed|ing)?", "fix, repair"),
    Word(r"puts? (it |them |this )?right", "fix, repair"),
    Word(r"anew|once more", "again, or re-: reload, recompute, restart"),
    Word(r"go(es|ing|ne)? on( with)?|went on( with)?", "continue, resume"),
    Word(r"comes? (along|of it)|came (along|of it)", "is included; results from it"),
    Word(r"what (comes?|came|has come) of", "result"),
    Word(r"told|tells?|telling", "report, show, notify, state; distinguish"),
    Word(r"said|says?|saying", "report, show, state"),
    Word(r"ask(s|ed|ing) for|(is|are|was|were) asked", "request, command, need"),
    Word(r"besides?", "next to, compared with, alongside"),
    Word(r"over each other|behind each other|among each other", "overlaid; in sequence"),
    Word(r"(?:takes?|taken|taking|took) (it |them |this )?(away|off)", "remove"),
    Word(r"look(s|ed|ing)? (over|around|through)", "check, inspect"),
    Word(r"finds? out|found out|finding out", "determine, estimate"),
    Word(r"(is|are|was|were) (no|none)(?! (longer|more))", "is not an X; there is no X"),
    Word(r"bears?|borne", "can handle, supports, carries"),
    Word(r"defects?", "internal error, bug"),
    Word(r"as far as (it|they) (came|got|went)", "up to the failure"),
    Word(r"whoever|somebody|nobody|anybody|everybody", "users, the operator, no one; rewrite"),
    Word(r"whatever|wherever|whenever", "any; rewrite"),
    Word(r"shall", "must, is"),
    Word(r"findings?", "problem"),
    Word(r"br(oken|eaks?|oke|eaking) off", "abort, cancel, interrupt"),
    Word(r"puts? (it |them |this )?back", "reset, restore"),
    Word(r"spoil(s|t|ed)?|torn|hurts?", "damage, truncate"),
    Word(r"strangers?|strange", "unknown, untrusted"),
    Word(r"dear|dearer|cheap|cheaper|cheapest", "slow, fast; expensive only of money"),
    Word(r"stands?|stood|standing", "is, means; is at rest"),
    Word(r"at once", "immediately; at the same time"),
    Word(r"thereby|thereof|therein|whereby|wherein|hence|lest|ere|ought", "rewrite"),
    Word(r"bids?|bidden|heeds?|heeded|wont", "command, respect"),
    Word(r"for ever|ever so|to and fro|in vain|of late", "permanently; back and forth; rewrite"),
    Word(r"(is|are|was|were) to be", "must be, will be, is"),
    Word(r"hand(s|ed)? (over|out|on|in)", "pass, give, provide"),
    Word(r"goes without|does without|do without", "does not need, has no"),
    Word(r"a second time", "twice, again"),
    Word(r"of (its|their) own", "its own, separate, custom"),
    Word(r"lets? go", "release"),
    Word(r"comes? (near|nearer|up|to be)", "approach, appear, become"),
    Word(r"nothing but|no more than", "only, at most"),
)
"""From the guide of style; longer phrases before their parts. Texts are compared in lower case."""

ALLOWED = (
    Allowed(r"there (is|are|was|were) (no|none)", "this order is idiomatic"),
    Allowed(r"stand-?(in|ins|by|still|alone|ard|ards)|understands?|understood", "other words"),
    Allowed(r"standing wave", "a term of physics"),
    Allowed(r"by hand (at|in|on)", "manually"),
    Allowed(r"asks? for confirmation", "of a dialog"),
    Allowed(r"beside (scenes/|other\.toml)", "an option of the command line"),
    Allowed(r"is none else", "an expression of Python"),
)
"""Phrases in which a listed word is right."""

NAMES = {
    **dict.fromkeys(
        ("found", "said", "told", "kept", "wanted", "shown", "made", "given", "asked", "heard"),
        "a participle is not a noun: name what it is",
    ),
    **dict.fromkeys(
        ("beside", "anew", "whole", "word", "words", "room", "way"),
        "name what it is",
    ),
    **dict.fromkeys(
        ("there", "gone", "together", "heeded", "awaited", "unasked", "go_on"),
        "an adverb or a participle is not a noun: name what it is",
    ),
}
"""Names that do not tell what they name, with what to do; of variables, parameters, attributes and functions."""

NOUNS = {
    "place": "position, index, rectangle, location, extent: what it is",
    "share": "fraction, weight, ratio: what it is",
}
"""Nouns with many meanings, as names of values; as names of functions they are verbs."""

VERBS = {
    "take": "set_, apply_, receive_, adopt_: what it does",
    "say": "show_message, report_",
    "tell": "publish, notify_, report_",
    "look": "poll, inspect_, check_",
    "forget": "discard, clear_",
    "dress": "apply_theme, style_",
    "renew": "refresh, update_, reload_",
    "mend": "fix, repair",
    "bid": "command",
    "go": "run, advance, move_to",
    "let": "allow_",
}
"""Verbs with many meanings, as the name or the first word of the name of a function."""

FIXED_NAMES = {
    "snakestudio/analysis/experiment/comparison.py": {"together": "key of `--json`"},
    "snakestudio/api/study_arguments.py": {"together": "argument of `Study`"},
    "snakestudio/api/studying.py": {"together": "argument of `Study`"},
    "snakestudio/control/controllers/joint_targets.py": {"asked": "field of a saved state"},
    "snakestudio/control/controllers/leader_follower.py": {"place": "field of a saved state"},
    "snakestudio/control/offset_filter.py": {"wanted": "field of a saved state"},
    "snakestudio/engines/base.py": {"look": "method of `Engine`, which plug-ins implement"},
    "snakestudio/engines/continuum_beam/engine.py": {"look": "method of `Engine`"},
    "snakestudio/engines/time_stepping.py": {"look": "method of `Engine`"},
    "snakestudio/export/hdf5.py": {"tell": "method of `io.RawIOBase`"},
    "snakestudio/gui/runs/video/form.py": {"beside": "name of an input and key of a setting"},
    "snakestudio/gui/study/setup/varying.py": {"together": "editor of the key"},
    "snakestudio/kinds/controller.py": {
        "shown": "field of `ControllerKind`, which plug-ins set",
        "place": "field of kinds, which plug-ins set",
    },
    "snakestudio/kinds/formulation.py": {"place": "field of kinds"},
    "snakestudio/kinds/gait.py": {"place": "field of kinds"},
    "snakestudio/model/obstacles/shape.py": {"place": "field of kinds"},
    "snakestudio/model/quantities.py": {"there": "field of quantities, which plug-ins set"},
    "snakestudio/study/description.py": {"together": "key of study files"},
    "snakestudio/viewmodel/plots/content.py": {"whole": "field of saved layouts"},
}
"""Listed names by file that interfaces or files fix, with the reason."""


def _python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


# Branches that begin with letters, compared in lower case, let `re` skip what begins with none of them.
_ANY = re.compile("|".join(rf"\b(?:{each.pattern})\b" for each in WORDS))
_EACH = [(re.compile(each.pattern), each.use) for each in WORDS]
_ALLOWED = re.compile("|".join(rf"\b(?:{each.pattern})\b" for each in ALLOWED))


def hits_in(text: str, path: Path, line: int) -> Iterator[Hit]:
    """Each listed word of `text`, which begins in `line` of `path`."""
    lower = text.lower()
    allowed: list[tuple[int, int]] | None = None
    for match in _ANY.finditer(lower):
        if allowed is None:
            allowed = [each.span() for each in _ALLOWED.finditer(lower)]
        if any(low <= match.start() and match.end() <= high for low, high in allowed):
            continue
        around = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
        use = next(use for pattern, use in _EACH if pattern.fullmatch(match.group()))
        yield Hit(path.relative_to(ROOT), line + lower.count("\n", 0, match.start()), around, use)


class _Source(NamedTuple):
    """What one file of Python says in words."""

    strings: list[tuple[int, str]]
    """Literals with their line that are not docstrings."""
    docstrings: list[tuple[int, str]]
    """With their line; those of fields included."""
    names: list[tuple[int, str, str]]
    """Names that are bound and listed, with their line and what to write instead."""


def _advice(name: str, is_function: bool) -> str | None:
    """What to do about a name; None if it may stay."""
    plain = name.strip("_")
    advice = NAMES.get(plain) or (None if is_function else NOUNS.get(plain))
    if advice is None and is_function:
        advice = VERBS.get(plain.partition("_")[0])
    return advice


@cache
def _source(path: Path) -> _Source:
    source = _Source([], [], [])
    documenting: set[int] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(body := getattr(node, "body", None), list):
            documenting.update(
                id(statement.value)
                for statement in body
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            )
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                texts = source.docstrings if id(node) in documenting else source.strings
                texts.append((node.lineno, node.value))
            continue
        name, is_function = "", False
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name, is_function = node.name, True
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        if advice := _advice(name, is_function):
            source.names.append((node.lineno, name, advice))
        pending.extend(ast.iter_child_nodes(node))
    return source


_FOR_PEOPLE = re.compile(r"[A-Za-z]{2,} [A-Za-z(]|^&?[A-Z][a-z]+")


def strings() -> Iterator[Hit]:
    """Words in what users read: literals that are text for people."""
    for path in _python_files("snakestudio"):
        for line, text in _source(path).strings:
            if _FOR_PEOPLE.search(text):
                yield from hits_in(text, path, line)


def docstrings() -> Iterator[Hit]:
    """Words in docstrings of modules, classes, functions and fields, of the package and of its tests."""
    for path in _python_files(*CODE):
        if path != Path(__file__):
            for line, text in _source(path).docstrings:
                yield from hits_in(text, path, line)


def comments() -> Iterator[Hit]:
    """Words in comments."""
    for path in _python_files(*CODE):
        text = path.read_text(encoding="utf-8")
        # Splitting a file into tokens is slow: only if a word follows some "#".
        if not any(_ANY.search(line.partition("#")[2].lower()) for line in text.splitlines()):
            continue
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield from hits_in(token.string, path, token.start[0])


def pages() -> Iterator[Hit]:
    """Words on pages of the documentation, in the root's documents, scenes and templates."""
    paths = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    paths += sorted((ROOT / "scenes").glob("*.toml"))
    paths += sorted((ROOT / "resources" / "plugin_templates").rglob("*.txt"))
    for path in paths:
        yield from hits_in(path.read_text(encoding="utf-8"), path, 1)


def names() -> Iterator[Hit]:
    """Names of variables, parameters, attributes and functions that do not tell what they name."""
    for path in _python_files(*CODE):
        relative = path.relative_to(ROOT)
        fixed = FIXED_NAMES.get(relative.as_posix(), {})
        compiled = relative.parts[:2] in COMPILED
        for line, name, advice in _source(path).names:
            if name not in fixed and not (compiled and name.strip("_") in NOUNS):
                yield Hit(relative, line, name, advice)


KINDS = {
    "strings": strings,
    "docstrings": docstrings,
    "comments": comments,
    "pages": pages,
    "names": names,
}
"""Where words are looked for."""


def main(arguments: Iterable[str]) -> None:
    """Print the counts, or the places of one kind."""
    kind, *folders = [*arguments] or [""]
    if not kind:
        for name, hits in KINDS.items():
            print(f"{name:12} {sum(1 for _ in hits()):6}")
        return
    for hit in KINDS[kind]():
        if not folders or any(str(hit.path).startswith(folder) for folder in folders):
            print(hit)


if __name__ == "__main__":
    main(sys.argv[1:])
