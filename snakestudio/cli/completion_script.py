"""The script that completes the command line in a shell, made by shtab from the parsers of all commands.

What an argument takes is recognized by its metavar (SCENE, F, FOLDER, KEY=VALUE ...), so that new
commands complete by themselves. The script contains the names of bundled scenes, scene keys and the
like: completing starts no Python.
"""

from __future__ import annotations

import argparse
import typing
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from shlex import quote
from typing import Any

from pydantic import BaseModel

from snakestudio.cli import COMMANDS
from snakestudio.paths import bundled_scenes
from snakestudio.text import capitalized

_SCENE = "scene_files"
_SET = "set"
_FILE = "file"
_FOLDER = "directory"
_TAKES = {
    "SCENE": _SCENE,
    "RUN": _SCENE,
    "RUN2": _SCENE,
    "KEY=VALUE": _SET,
    "KEY=LOW:HIGH": _SET,
    "KEY=LOW:HIGH:STEPS": _SET,
    "F": _FILE,
    "F.toml": _FILE,
    "FILE": _FILE,
    "NEW": _FILE,
    "STUDY": _FILE,
    "EXPERIMENT": _FILE,
    "FOLDER": _FOLDER,
    "PROFILE": "profile_files",
}
"""What is completed, by metavar."""

_DIFFERENT = {
    ("diff", "before"): _SCENE,
    ("diff", "after"): _SCENE,
    ("profile", "names"): "profile_files",
}
"""The same by command and argument, where the metavar says less."""

_PATTERNS = {_SCENE: ("toml", "mcap", "csv"), "profile_files": ("toml",)}
"""Endings of files that are offered together with names."""


class WholeParser(argparse.ArgumentParser):
    """A parser of all commands, or of one of them."""

    def arguments(self, *words: str) -> Iterator[tuple[str, argparse.Action]]:
        """All arguments that take any value, each with its command."""
        for action in self._actions:
            if isinstance(action.choices, dict):  # commands
                for name, member in action.choices.items():
                    yield from member.arguments(*words, name)
            elif action.nargs != 0 and not action.choices:
                yield " ".join(words), action


def whole_parser() -> WholeParser:
    """A parser of all commands at once, with the options of the window at its top."""
    root = WholeParser(prog="snakestudio")
    commands = root.add_subparsers()
    import_module("snakestudio.cli.gui").add_window_options(root)
    groups: dict[str, Any] = {}
    for name, (module, text) in COMMANDS.items():
        group, _, member = name.partition(" ")
        if member:
            if group not in groups:
                members = " | ".join(
                    each.partition(" ")[2] for each in COMMANDS if each.startswith(f"{group} ")
                )
                groups[group] = commands.add_parser(
                    group, help=members, description=members
                ).add_subparsers()
            parser = groups[group].add_parser(member, help=text)
        else:
            parser = commands.add_parser(name, help=text)
        import_module(f"snakestudio.cli.{module}").add_arguments(parser)
        parser.description = capitalized(text)
    return root


def script(shell: str) -> str:
    """The script for "bash", "zsh" or "fish"."""
    import shtab

    root = whole_parser()
    names = {_SCENE: tuple(bundled_scenes()), "profile_files": _profiles()}
    for command, action in root.arguments():
        takes = _DIFFERENT.get((command, action.dest)) or _TAKES.get(str(action.metavar))
        if choose := _WORDS.get((command, action.dest)) or _WORDS.get(("", action.dest)):
            action.choices = choose()
        elif takes in (_FILE, _FOLDER):
            action.complete = shtab.FILE if takes == _FILE else shtab.DIRECTORY  # type: ignore[attr-defined]
        elif takes is not None:
            function = f"_snakestudio_{takes}"
            called = f"({function})" if shell == "fish" else function
            action.complete = {shell: called}  # type: ignore[attr-defined]
    functions = _FUNCTIONS[shell]
    own = "".join(
        functions.names_and_files(takes, names[takes], endings)
        for takes, endings in _PATTERNS.items()
    )
    own += functions.set_values(dict(_scene_keys()))
    text: str = shtab.complete(root, shell, preamble=own + functions.first_word)
    return text + functions.end


# -------------------------------------------------------------------------------------------- words


def _profiles() -> tuple[str, ...]:
    from snakestudio.link.profile.library import own, shipped

    return tuple(dict.fromkeys(path.stem for path in (*shipped(), *own())))


def _models() -> tuple[str, ...]:
    from snakestudio.kinds.formulation import FORMULATIONS

    return tuple(FORMULATIONS)


def _measures() -> tuple[str, ...]:
    from snakestudio.study.goals import PRESETS

    return tuple(PRESETS)


def _searches() -> tuple[str, ...]:
    from snakestudio.study.description import Search

    return _literals(Search, "kind")


def _codecs() -> tuple[str, ...]:
    from snakestudio.export.codecs import CODECS

    return tuple(CODECS)


def _qualities() -> tuple[str, ...]:
    from snakestudio.export.codecs import QUALITIES

    return tuple(QUALITIES)


def _interfaces() -> tuple[str, ...]:
    from snakestudio.link.bus.drivers import INTERFACES

    return INTERFACES


_WORDS: dict[tuple[str, str], Callable[[], Iterable[str]]] = {
    ("compare models", "kinds"): _models,
    ("", "maximise"): _measures,
    ("", "minimise"): _measures,
    ("", "goal"): _measures,
    ("", "search"): _searches,
    ("", "codec"): _codecs,
    ("", "quality"): _qualities,
    ("", "interface"): _interfaces,
    ("", "method"): lambda: ("auto", "least_squares", "cma"),
    ("", "figure_format"): lambda: ("pdf", "svg", "png"),
    ("figures", "format"): lambda: ("pdf", "svg", "png"),
    ("figures", "paper"): lambda: ("P1", "P2", "P3", "P4", "P5"),
}
"""Words that an argument takes, by command ("" for all) and argument."""


def _scene_keys() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Keys of scenes with the words that each can be, if it is one of some words."""
    from snakestudio.model.registry import options
    from snakestudio.model.scene import Scene

    for name, field in Scene.model_fields.items():
        kinds = options(Scene, name)
        parts = tuple(kinds.values()) if kinds else (field.annotation,)
        if kinds:
            yield f"{name}.kind", tuple(kinds)
        for part in parts:
            if isinstance(part, type) and issubclass(part, BaseModel):
                for inner in part.model_fields:
                    if inner != "kind" or not kinds:
                        yield f"{name}.{inner}", _literals(part, inner)
        if not kinds and not (
            isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        ):
            yield name, _literals(Scene, name)


def _literals(part: type[BaseModel], name: str) -> tuple[str, ...]:
    annotation = part.model_fields[name].annotation
    if annotation is bool:
        return ("true", "false")
    if typing.get_origin(annotation) is typing.Literal:
        return tuple(str(word) for word in typing.get_args(annotation))
    return ()


# ------------------------------------------------------------------------------------------- shells


def _joined(words: Iterable[str]) -> str:
    return " ".join(quote(word) for word in words)


class _Bash:
    first_word = """
# A scene in place of a command opens the window.
_snakestudio_first_files() { if [[ -n $1 ]]; then _snakestudio_scene_files "$1"; fi; }
_shtab_snakestudio_pos_0_COMPGEN=_snakestudio_first_files
"""

    end = r"""
# Words that bash splits at = and : are joined again, and --option=value becomes two words.
_snakestudio() {
  local rest="$COMP_LINE" word gap i current="${COMP_WORDS[COMP_CWORD]}"
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    gap="${rest%%[![:space:]]*}"
    rest="${rest#"$gap"}"
    rest="${rest#"$word"}"
    if ((i > 0)) && [[ -z $gap ]]; then
      words[${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
  done
  local -a parts=()
  for word in "${words[@]}"; do
    if [[ $word == --*=* ]]; then
      parts+=("${word%%=*}" "${word#*=}")
    else
      parts+=("$word")
    fi
  done
  local -a COMP_WORDS=("${parts[@]}")
  local COMP_CWORD=$((${#parts[@]} - 1))
  _shtab_snakestudio
  # Only what is behind the last separator is replaced.
  local whole="${COMP_WORDS[COMP_CWORD]}" head
  if [[ $current == [=:] ]]; then head="$whole"; else head="${whole%"$current"}"; fi
  if [[ -n $head ]]; then COMPREPLY=("${COMPREPLY[@]#"$head"}"); fi
  if ((${#COMPREPLY[@]} > 0)) && [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
  return 0
}
complete -o bashdefault -F _snakestudio snakestudio
"""

    @staticmethod
    def names_and_files(takes: str, names: Iterable[str], endings: Iterable[str]) -> str:
        return f"""
_snakestudio_{takes}() {{
  local ending
  for ending in {_joined(endings)}; do compgen -f -X "!*.$ending" -- "$1"; done
  compgen -d -- "$1"
  if [[ $1 != */* ]]; then compgen -W {quote(" ".join(names))} -- "$1"; fi
}}
"""

    @staticmethod
    def set_values(keys: dict[str, tuple[str, ...]]) -> str:
        cases = "\n".join(
            f'    {key}=*) compgen -W {quote(" ".join(f"{key}={word}" for word in words))} -- "$1" ;;'
            for key, words in keys.items()
            if words
        )
        return f"""
_snakestudio_set() {{
  case "$1" in
{cases}
    *=*) ;;
    *) compgen -W {quote(" ".join(f"{key}=" for key in keys))} -- "$1" ;;
  esac
}}
"""


class _Zsh:
    first_word = """
# A scene in place of a command opens the window.
functions[_snakestudio_commands]=$functions[_shtab_snakestudio_commands]
_shtab_snakestudio_commands() {
  _snakestudio_commands
  if [[ -n $PREFIX ]]; then _snakestudio_scene_files; fi
}
"""
    end = ""

    @staticmethod
    def names_and_files(takes: str, names: Iterable[str], endings: Iterable[str]) -> str:
        return f"""
_snakestudio_{takes}() {{
  local -a names=({_joined(names)})
  _describe 'name' names
  _files -g '*.({"|".join(endings)})'
}}
"""

    @staticmethod
    def set_values(keys: dict[str, tuple[str, ...]]) -> str:
        cases = "\n".join(
            f"    {key}=) compadd -- {_joined(words)} ;;" for key, words in keys.items() if words
        )
        return f"""
_snakestudio_set() {{
  if compset -P '*='; then
    case "$IPREFIX" in
{cases}
    esac
  else
    compadd -S = -- {_joined(keys)}
  fi
}}
"""


class _Fish:
    first_word = ""
    end = """
# A scene in place of a command opens the window.
function _snakestudio_first
  test -n (commandline -ct); and _shtab_snakestudio_using; and test $_shtab_snakestudio_npos -eq 0
end
complete -c snakestudio -n _snakestudio_first -ka '(_snakestudio_scene_files)'
"""

    @staticmethod
    def names_and_files(takes: str, names: Iterable[str], endings: Iterable[str]) -> str:
        return f"""
function _snakestudio_{takes}
  printf '%s\\n' {_joined(names)}
  for path in (__fish_complete_path (commandline -ct))
    string match -qr '(/|\\.({"|".join(endings)}))(\\t|$)' -- $path; and printf '%s\\n' $path
  end
end
"""

    @staticmethod
    def set_values(keys: dict[str, tuple[str, ...]]) -> str:
        pairs = (f"{key}={word}" for key, words in keys.items() for word in words)
        return f"""
function _snakestudio_set
  if string match -q '*=*' -- (commandline -ct)
    printf '%s\\n' {_joined(pairs)}
  else
    printf '%s=\\n' {_joined(keys)}
  end
end
"""


_FUNCTIONS: dict[str, type[_Bash] | type[_Zsh] | type[_Fish]] = {
    "bash": _Bash,
    "zsh": _Zsh,
    "fish": _Fish,
}
