"""Profile files: TOML and DBC read with every mistake named at once, written so that comments stay."""

from __future__ import annotations

import contextlib
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cantools
import pydantic
import tomlkit
from cantools.database.can.database import Database
from tomlkit.exceptions import TOMLKitError

from snakestudio.errors import Problem, ProfileError
from snakestudio.inputs import (
    DBC,
    PROFILE,
    Budget,
    InputError,
    local_path,
    parse_toml,
    read_bytes,
    text_of,
)
from snakestudio.link.profile.dbc_references import without_dangling
from snakestudio.link.profile.schema import FORMAT, Profile
from snakestudio.model.atomic import followed, write_atomically
from snakestudio.model.scene_file.parse import MOST_MISTAKES
from snakestudio.model.scene_file.toml_merge import merge, tuples
from snakestudio.model.validation_messages import problem_of

_MOST_BYTES = 1785
"""Data length of J1939's longest message: what a DBC may say a message has, for it may describe
more than frames."""

# What cantools remarks on while it reads is found by the checks, and said there.
logging.getLogger("cantools").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class LoadedProfile:
    """A profile and the messages it speaks of."""

    profile: Profile
    database: Database
    """What its DBC says."""

    path: Path | None
    """File of the profile; None if it was never one."""

    dbc_text: str
    """Text of the DBC: with it and `dump_profile`, `parse_profile` makes the same again in another
    process."""


def load_profile(path: str | Path) -> LoadedProfile:
    """Read a profile and its DBC.

    Raises `ProfileError` with one sentence a mistake, each naming file, key, value and remedy.
    """
    path = local_path(path)
    text = _text(path, PROFILE)
    problems: list[Problem] = []
    dbc_text = None
    with contextlib.suppress(InputError):  # said below
        name = parse_toml(text, PROFILE).get("dbc")
        if isinstance(name, str) and name:
            try:
                dbc_text = _text(local_path(name, path.parent), DBC)
            except ProfileError as error:
                problems = [
                    Problem("error", "dbc", f'"{name}": {problem.message}', problem.remedy)
                    for problem in error.problems
                ]
    return _parse(text, dbc_text, str(path), path, problems)


def parse_profile(
    toml_text: str, dbc_text: str, source: str = "profile", path: str | Path | None = None
) -> LoadedProfile:
    """Make a profile of its two texts; `source` names it in the sentences, `path` is the file it belongs to.

    Raises `ProfileError`: see `load_profile`.
    """
    return _parse(toml_text, dbc_text, source, None if path is None else local_path(path), [])


def _parse(
    text: str, dbc_text: str | None, source: str, path: Path | None, problems: list[Problem]
) -> LoadedProfile:
    profile = database = None
    try:
        values = parse_toml(text, PROFILE)
    except InputError as error:
        raise _refusal(source, [error.problem()]) from None
    version = values.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        what = f"format = {version} is newer than this program, which reads up to {FORMAT}"
        raise _refusal(source, [Problem("error", "", what, "update SnakeStudio")])
    if "format" not in values:
        problems = [
            Problem("error", "format", "is missing", f"begin the file with format = {FORMAT}"),
            *problems,
        ]
    try:
        profile = Profile.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        problems = problems + _findings(error)
    if dbc_text is not None:
        try:
            database = read_dbc(dbc_text, str(values.get("dbc", "its DBC")))
        except ProfileError as error:
            problems = problems + [
                Problem("error", "dbc", p.message, p.remedy) for p in error.problems
            ]
    if problems or profile is None or database is None or dbc_text is None:
        raise _refusal(source, problems)
    return LoadedProfile(profile, database, path, dbc_text)


def _findings(error: pydantic.ValidationError) -> list[Problem]:
    """Every mistake once: unions of plain types report one a type, and a list is no shorter for what is wrong in it."""
    details = error.errors(include_url=False)[:MOST_MISTAKES]
    places = [detail["loc"] for detail in details]

    def follows(loc: tuple[str | int, ...]) -> bool:
        return any(place != loc and place[: len(loc)] == loc for place in places)

    found: dict[str, Problem] = {}
    for detail in details:
        if detail["type"] == "too_short" and follows(detail["loc"]):
            continue
        problem = problem_of(detail, Profile)
        found.setdefault(problem.key, problem)
    return list(found.values())


def read_dbc(text: str, source: str = "DBC") -> Database:
    """The messages of a DBC.

    Raises `ProfileError` if it cannot be read; names the line where it can.
    """
    words = sum(1 for _ in re.finditer(r"[\w.]+|[^\w.\s]", text))
    if words > DBC.values:
        what = f"{source} has {words} words and signs, more than {DBC.values}"
        raise _refusal(
            "", [Problem("error", "", what, "leave out messages that the robot has no use for")]
        )
    # cantools builds its tables bit by bit: what no message can be is refused before.
    for match in re.finditer(r"^BO_\s+\d+\s+(\w+)\s*:\s*(\d+)", text, re.MULTILINE):
        if len(match[2]) > 5 or int(match[2]) > _MOST_BYTES:
            line = text.count("\n", 0, match.start()) + 1
            what = (
                f"{source}, line {line}: message {match[1][:60]} cannot have {match[2][:20]} bytes"
            )
            raise _refusal("", [Problem("error", "", what, "give it 0 to 8, with CAN FD up to 64")])
    for match in re.finditer(r"^\s+SG_\s+(\w+)[^:\n]*:\s*(\d+)\s*\|\s*(\d+)", text, re.MULTILINE):
        if max(len(match[2]), len(match[3])) > 6 or int(match[2]) + int(match[3]) > 8 * _MOST_BYTES:
            line = text.count("\n", 0, match.start(1)) + 1
            what = (
                f"{source}, line {line}: signal {match[1][:60]} lies behind the end of any message"
            )
            raise _refusal(
                "", [Problem("error", "", what, "give it a bit and a length within its message")]
            )
    try:
        sound, _ = without_dangling(text)  # what is left out is reported by the checks
        database = cantools.database.load_string(sound, database_format="dbc", strict=False)
    except (
        Exception
    ) as error:  # cantools lets anything through that goes wrong while it reads: KeyError, ...
        raise _refusal(
            "", [Problem("error", "", f"{source} {_dbc_mistake(error)}", _DBC_REMEDY)]
        ) from None
    if not isinstance(database, Database):
        raise _refusal(
            "", [Problem("error", "", f"{source} describes no CAN messages", _DBC_REMEDY)]
        )
    return database


_DBC_REMEDY = "mend it with a DBC editor, or export it again"


def _dbc_mistake(error: Exception) -> str:
    said = " ".join(str(error).split()).removeprefix("DBC: ").strip('"')
    place = re.search(r"at line (\d+), column (\d+): \W*\"?(.*)", said)
    if place:
        near = " ".join(place[3].replace(">>!<<", " ").split()).strip(' "')
        return f"cannot be read at line {place[1]}, column {place[2]}, near '{near[:40].strip()}'"
    if type(error).__module__.startswith("cantools") and said:
        return f"cannot be used: {said[:200].rstrip('.')}"
    return "contradicts itself or names what it does not define"


def _refusal(source: str, problems: list[Problem]) -> ProfileError:
    return ProfileError.of(problems, source)


def _text(path: Path, budget: Budget) -> str:
    """The text of a file.

    Raises
    ------
    ProfileError
    """
    try:
        data = read_bytes(path, budget)
        try:
            text = text_of(data, budget)
        except InputError:
            if budget is not DBC or b"\0" in data:
                raise
            # the tools that write DBCs use it for the likes of °
            text = data.decode("cp1252", errors="replace")
    except InputError as error:
        raise _refusal(str(path), [error.problem()]) from None
    return text.replace("\r\n", "\n")


def dump_profile(profile: Profile, base: str | None = None) -> str:
    """The profile as TOML text, on top of `base` if that can be parsed (its comments and layout stay)."""
    if base is not None:
        with contextlib.suppress(TOMLKitError, ValueError, RecursionError):
            text = _over(profile, base)
            # What is on disk must be what was in memory, whatever the layout of `base` did to it.
            if Profile.model_validate(tuples(parse_toml(text, PROFILE))) == profile:
                return text
    return _over(profile, "")


def _over(profile: Profile, base: str) -> str:
    document: Any = tomlkit.parse(base)
    merge(document, profile, explicit=False)
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def save_profile(profile: Profile, path: str | Path) -> None:
    """Write a profile; comments and layout of the file it replaces stay, and that file stays as ``NAME.toml~``.

    Raises `ProfileError` if the file cannot be written; the old one is untouched then.
    """
    path = local_path(path)
    try:
        old = path.read_bytes() if path.is_file() else None
        if old is not None:
            followed(path)  # of what cannot be replaced no copy is made, either
        base = None if old is None else old.decode("utf-8-sig", errors="replace")
        data = dump_profile(profile, base).encode("utf-8")
        if old is not None:
            write_atomically(path.with_name(path.name + "~"), old)
        write_atomically(path, data)
    except OSError as error:
        remedy = "save under another name" if path.parent.is_dir() else "make its folder first"
        what = f"the profile cannot be written ({error.strerror})"
        raise _refusal(str(path), [Problem("error", "", what, remedy)]) from None


def save_both(profile: Profile, dbc_text: str, path: Path, base: str | None = None) -> str:
    """Write a profile and its DBC beside it; what they replace stays as ``NAME.toml~`` and ``NAME.dbc~``.

    The DBC goes first: a profile that speaks of signals which its DBC does not have yet would be of
    no use.

    Raises `ProfileError` if one of them cannot be written; the old ones are untouched then.

    Parameters
    ----------
    path : Path
        Of the profile; the DBC's name stands in it.
    base : str, optional
        TOML text whose comments and layout stay.

    Returns
    -------
    str
        The TOML text that was written.
    """
    text = dump_profile(profile, base)
    files = [
        (local_path(profile.dbc, path.parent), dbc_text.encode("utf-8", errors="surrogateescape")),
        (path, text.encode()),
    ]
    for file, data in files:
        try:
            old = file.read_bytes() if file.is_file() else None
            if old == data:
                continue
            if old is not None:
                write_atomically(file.with_name(file.name + "~"), old)
            write_atomically(file, data)
        except OSError as error:
            remedy = "save under another name" if file.parent.is_dir() else "make its folder first"
            problem = Problem("error", "", f"{file} cannot be written ({error.strerror})", remedy)
            raise ProfileError.of([problem]) from None
    return text
