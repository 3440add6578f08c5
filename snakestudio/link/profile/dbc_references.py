"""Statements of a DBC about messages and signals that it does not define, which editors leave behind."""

from __future__ import annotations

import re
from functools import lru_cache

_STRING = re.compile(r'"(?:\\.|[^"\\])*+"', re.DOTALL)
_MESSAGE = re.compile(r"^[ \t]*BO_[ \t]+(\d+)[ \t]", re.MULTILINE)
_SIGNAL = re.compile(r"^[ \t]*SG_[ \t]+(\w+)", re.MULTILINE)
_DEFINITION = re.compile(r'^[ \t]*BA_DEF_(?:REL_)?[ \t]+(?:\w+[ \t]+)?"([^"\n]*)"', re.MULTILINE)
_STATEMENT = re.compile(
    r"""^[ \t]*(?:
        (?P<signal>VAL_|SIG_VALTYPE_|SG_MUL_VAL_|CM_[ \t]+SG_|BA_[ \t]+(?P<of_signal>"[^"]*")[ \t]+SG_)
            [ \t]+(?P<message>\d+)[ \t]+(?P<name>\w+)
        |(?P<alone>CM_[ \t]+BO_|BO_TX_BU_|BA_[ \t]+(?P<of_message>"[^"]*")[ \t]+BO_)[ \t]+(?P<number>\d+)
        |BA_[ \t]+(?P<attribute>"[^"]*")
    )[^;]*;""",
    re.MULTILINE | re.VERBOSE,
)


@lru_cache(maxsize=4)
def without_dangling(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a DBC without its dangling statements, and a list of these: "VAL_ 385 Gone".

    Lines keep their numbers.
    """
    signals: dict[int, set[str]] = {}
    messages = list(_MESSAGE.finditer(text))
    ends = [*(match.start() for match in messages[1:]), len(text)]
    for match, end in zip(messages, ends, strict=False):
        signals.setdefault(int(match[1]), set()).update(_SIGNAL.findall(text, match.end(), end))
    definitions = set(_DEFINITION.findall(text))
    # Strings are masked, so that text in a comment is not taken for a statement.
    hidden = _STRING.sub(lambda match: '"' + "_" * (len(match[0]) - 2) + '"', text)
    dangling: list[str] = []
    parts = []
    copied = 0
    # Only up to the last semicolon: after it, each start of a statement would be searched to the
    # end of the file.
    for match in _STATEMENT.finditer(hidden, 0, hidden.rfind(";") + 1):
        what = _dangling(text, match, signals, definitions)
        if what:
            dangling.append(what)
            parts.append(text[copied : match.start()])
            parts.append("\n" * text.count("\n", match.start(), match.end()))
            copied = match.end()
    return "".join([*parts, text[copied:]]), tuple(dangling)


def _dangling(
    text: str, match: re.Match[str], signals: dict[int, set[str]], definitions: set[str]
) -> str:
    """Return the undefined item that a statement is about; "" if it is defined."""
    for group in ("of_signal", "of_message", "attribute"):
        if match[group] is not None:
            name = text[match.start(group) + 1 : match.end(group) - 1]
            if name not in definitions:
                return f'BA_ "{name}"'
    if match["signal"] is not None and match["name"] not in signals.get(
        int(match["message"]), set()
    ):
        return f"{match['signal'].split()[0]} {match['message']} {match['name']}"
    if match["alone"] is not None and int(match["number"]) not in signals:
        return f"{match['alone'].split()[0]} {match['number']}"
    return ""
