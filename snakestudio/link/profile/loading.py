"""Profile files: reads TOML and DBC, reports all problems together, and keeps comments when writing."""

from __future__ import annotations

import contextlib
import logging
import os
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
"""Data length of the longest J1939 message, in bytes: a DBC may describe messages longer than a
frame."""

# The checks report what cantools logs while it reads.
logging.getLogger("cantools").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class LoadedProfile:
    """A profile and its DBC."""

    profile: Profile
    """Values of the profile."""

    database: Database
    """Messages of the DBC."""

    path: Path | None
    """File of the profile; None if it was not read from a file."""

    dbc_text: str
    """Text of the DBC; with the text of `dump_profile`, `parse_profile` rebuilds the same profile in
    another process."""


def load_profile(path: str | Path) -> LoadedProfile:
    """Read a profile and its DBC.

    Raises `ProfileError` with one line per problem: file, key, value and remedy.
    """
    path = local_path(path)
    text = _text(path, PROFILE)
    problems: list[Problem] = []
    dbc_text = None
    with contextlib.suppress(InputError):  # reported below
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
    """Return the profile of two texts; `source` names it in messages, `path` is its file.

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
        what = f"format = {version} is newer than this version of SnakeStudio, which reads up to {FORMAT}"
        raise _refusal(source, [Problem("error", "", what, "update SnakeStudio")])
    if "format" not in values:
        problems = [
            Problem("error", "format", "is missing", f"begin the file with format = {FORMAT}"),
            *problems,
        ]
    try:
        profile = Profile.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        problems = problems + _problems(error)
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


def _problems(error: pydantic.ValidationError) -> list[Problem]:
    # Unions of plain types report one error per type, and a list with invalid entries is also
    # reported as too short: each problem is listed once.
    details = error.errors(include_url=False)[:MOST_MISTAKES]
    places = [detail["loc"] for detail in details]

    def follows(loc: tuple[str | int, ...]) -> bool:
        return any(location != loc and location[: len(loc)] == loc for location in places)

    by_key: dict[str, Problem] = {}
    for detail in details:
        if detail["type"] == "too_short" and follows(detail["loc"]):
            continue
        problem = problem_of(detail, Profile)
        by_key.setdefault(problem.key, problem)
    return list(by_key.values())


def read_dbc(text: str, source: str = "DBC") -> Database:
    """Return the messages of a DBC.

    Raises `ProfileError` if it cannot be read, with the line if it is known.
    """
    count = sum(1 for _ in re.finditer(r"[\w.]+|[^\w.\s]", text))
    if count > DBC.values:
        what = f"{source} has {count} words and symbols, more than {DBC.values}"
        raise _refusal(
            "", [Problem("error", "", what, "remove messages that the robot does not use")]
        )
    # cantools builds its tables bit by bit: impossible lengths are rejected before it reads.
    for match in re.finditer(r"^BO_\s+\d+\s+(\w+)\s*:\s*(\d+)", text, re.MULTILINE):
        if len(match[2]) > 5 or int(match[2]) > _MOST_BYTES:
            line = text.count("\n", 0, match.start()) + 1
            what = (
                f"{source}, line {line}: message {match[1][:60]} cannot have {match[2][:20]} bytes"
            )
            raise _refusal(
                "",
                [Problem("error", "", what, "set its length to 0 to 8, or up to 64 with CAN FD")],
            )
    for match in re.finditer(r"^\s+SG_\s+(\w+)[^:\n]*:\s*(\d+)\s*\|\s*(\d+)", text, re.MULTILINE):
        if max(len(match[2]), len(match[3])) > 6 or int(match[2]) + int(match[3]) > 8 * _MOST_BYTES:
            line = text.count("\n", 0, match.start(1)) + 1
            what = (
                f"{source}, line {line}: signal {match[1][:60]} lies beyond the end of any message"
            )
            raise _refusal("", [Problem("error", "", what, "correct its start bit and length")])
    try:
        sound, _ = without_dangling(text)  # the checks report the statements removed here
        database = cantools.database.load_string(sound, database_format="dbc", strict=False)
    except Exception as error:  # cantools lets any error through, such as KeyError
        raise _refusal(
            "", [Problem("error", "", f"{source} {_dbc_mistake(error)}", _DBC_REMEDY)]
        ) from None
    if not isinstance(database, Database):
        raise _refusal("", [Problem("error", "", f"{source} has no CAN messages", _DBC_REMEDY)])
    return database


_DBC_REMEDY = "fix it with a DBC editor, or export it again"


def _dbc_mistake(error: Exception) -> str:
    text = " ".join(str(error).split()).removeprefix("DBC: ").strip('"')
    position = re.search(r"at line (\d+), column (\d+): \W*\"?(.*)", text)
    if position:
        near = " ".join(position[3].replace(">>!<<", " ").split()).strip(' "')
        return f"cannot be read at line {position[1]}, column {position[2]}, near '{near[:40].strip()}'"
    if type(error).__module__.startswith("cantools") and text:
        return f"cannot be used: {text[:200].rstrip('.')}"
    return "is contradictory or refers to undefined items"


def _refusal(source: str, problems: list[Problem]) -> ProfileError:
    return ProfileError.of(problems, source)


def _text(path: Path, budget: Budget) -> str:
    """Return the text of a file; raises `ProfileError`."""
    try:
        data = read_bytes(path, budget)
        try:
            text = text_of(data, budget)
        except InputError:
            if budget is not DBC or b"\0" in data:
                raise
            # tools that write DBCs use this encoding for signs such as °
            text = data.decode("cp1252", errors="replace")
    except InputError as error:
        raise _refusal(str(path), [error.problem()]) from None
    return text.replace("\r\n", "\n")


def dump_profile(profile: Profile, base: str | None = None) -> str:
    """Return the profile as TOML text, with comments and layout of `base` if that can be parsed."""
    if base is not None:
        with contextlib.suppress(TOMLKitError, ValueError, RecursionError):
            text = _over(profile, base)
            # The text must give the same profile as in memory, for any layout of `base`.
            if Profile.model_validate(tuples(parse_toml(text, PROFILE))) == profile:
                return text
    return _over(profile, "")


def _over(profile: Profile, base: str) -> str:
    document: Any = tomlkit.parse(base)
    merge(document, profile, explicit=False)
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def save_profile(profile: Profile, path: str | Path) -> None:
    """Write a profile with comments and layout of the file it replaces, which is saved as ``NAME.toml~``.

    Raises `ProfileError` if the file cannot be written; the old one is unchanged then.
    """
    path = local_path(path)
    try:
        old = path.read_bytes() if os.path.isfile(path) else None
        if old is not None:
            followed(path)  # a file that cannot be replaced is not copied
        base = None if old is None else old.decode("utf-8-sig", errors="replace")
        data = dump_profile(profile, base).encode("utf-8")
        if old is not None:
            write_atomically(path.with_name(path.name + "~"), old)
        write_atomically(path, data)
    except OSError as error:
        remedy = (
            "save under another name" if os.path.isdir(path.parent) else "create its folder first"
        )
        what = f"the profile cannot be written ({error.strerror})"
        raise _refusal(str(path), [Problem("error", "", what, remedy)]) from None


def save_both(profile: Profile, dbc_text: str, path: Path, base: str | None = None) -> str:
    """Write a profile and the DBC in its folder; replaced files are saved as ``NAME.toml~`` and ``NAME.dbc~``.

    The DBC is written first, because a profile with signals that its DBC does not have yet cannot
    be used.

    Raises `ProfileError` if one of them cannot be written; the old files are unchanged then.

    Parameters
    ----------
    path : Path
        File of the profile, which names the DBC.
    base : str, optional
        TOML text whose comments and layout are kept.

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
            old = file.read_bytes() if os.path.isfile(file) else None
            if old == data:
                continue
            if old is not None:
                write_atomically(file.with_name(file.name + "~"), old)
            write_atomically(file, data)
        except OSError as error:
            remedy = (
                "save under another name"
                if os.path.isdir(file.parent)
                else "create its folder first"
            )
            problem = Problem("error", "", f"{file} cannot be written ({error.strerror})", remedy)
            raise ProfileError.of([problem]) from None
    return text
