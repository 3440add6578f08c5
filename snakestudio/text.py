"""Text formatting shared by the whole program: sentences, lists, plurals, quotes, numbers, sizes and durations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Literal

MINUS = "\N{MINUS SIGN}"

_KEY = re.compile(r"[a-z]\w*(?:\[[^\]]*\]|[._]\w| = )")
_QUESTION = re.compile(r"[Dd]id you mean [^?]*$")
_ENDS = (".", "?", "!", "…", "...")


def capitalized(text: str) -> str:
    """Text with a capital first letter, unless it starts with a key or a file name, which keep their spelling."""
    return text if _KEY.match(text) else text[:1].upper() + text[1:]


def uncapitalized(text: str) -> str:
    """Return a text with a small first letter, for use in a sentence; "CAN channel" and "X" stay."""
    return text if text[1:2].isupper() or len(text) < 2 else text[:1].lower() + text[1:]


def ended(text: str) -> str:
    """Return the text with one full stop, or a question mark after "did you mean"; "" stays ""."""
    text = text.rstrip()
    if not text or text.endswith(_ENDS):
        return text
    return f"{text}?" if _QUESTION.match(text) else f"{text}."


def sentence(text: str) -> str:
    """Return the clause as a sentence: with a capital letter and a full stop; "" stays ""."""
    return ended(capitalized(text))


def sentences(*clauses: str) -> str:
    """Return the message and remedy, or any other clauses, as sentences: "Message. Remedy."."""
    return " ".join(sentence(clause) for clause in clauses if clause)


def quoted(value: object, most: int = 60) -> str:
    """Return the value in double quotes, shortened to `most` characters."""
    return f'"{shortened(str(value), most)}"'


def shortened(text: str, most: int = 60) -> str:
    """Return the text, or its start and "..." if it has more than `most` characters."""
    return text if len(text) <= most else text[: most - 3] + "..."


def literal_text(value: object, most: int = 60) -> str:
    """Return the value in the syntax of files, shortened: true, 0.25, "text", [1, 2]."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return shortened(f'"{value}"', most)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    if isinstance(value, float):
        return (
            f"{value:.6g}"
            if math.isfinite(value) and float(f"{value:.6g}") == value
            else repr(value)
        )
    if isinstance(value, tuple):
        value = list(value)
    return shortened(repr(value), most)


def listing(
    items: Iterable[object], conjunction: Literal["and", "or"] = "and", most: int = 0
) -> str:
    """Return the list of things in a sentence: "a, b and c".

    Parameters
    ----------
    most : int
        Number of things to name if more than one would be dropped: "a, b, c and 4 more"; 0 for all.
    """
    texts = [str(item) for item in items]
    if most and len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {conjunction} {texts[-1]}"


def noun(count: int, singular: str, plural: str = "") -> str:
    """Noun in the form for a count: "run", "runs", "axis", "axes", "bodies"."""
    if count == 1:
        return singular
    if plural:
        return plural
    if singular.endswith("axis"):
        return f"{singular[:-2]}es"
    if singular.endswith("y") and singular[-2:-1] not in "aeiou":
        return f"{singular[:-1]}ies"
    if singular.endswith(("s", "x", "ch", "sh")):
        return f"{singular}es"
    return f"{singular}s"


def counted(count: int, singular: str, plural: str = "") -> str:
    """Count and noun: "1 run", "2,500 runs"."""
    return f"{count:,} {noun(count, singular, plural)}"


def numbered(singular: str, numbers: Iterable[object], most: int = 0) -> str:
    """Return numbered things: "joint 3", "joints 3, 4 and 7"."""
    numbers = list(numbers)
    return f"{noun(len(numbers), singular)} {listing(numbers, most=most)}"


def number_text(value: float, digits: int = 4) -> str:
    """Return the number with significant digits and a minus sign; a dash if it is not finite."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    return _signed("0" if value == 0 else re.sub(r"e\+?(-?)0*(\d)", r"e\1\2", text))


def decimal_text(value: float, decimals: int) -> str:
    """Return the number with fixed decimals and a minus sign, but never minus zero."""
    return _signed(f"{round(value, decimals) + 0.0:.{decimals}f}")


def exact_text(value: float, step: float = 0.0) -> str:
    """Return the number without loss of typed digits, with the decimals of `step` if they suffice."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    text = f"{value:.{decimals}f}" if decimals <= 6 else ""
    if not text or not math.isclose(float(text), value, rel_tol=1e-12, abs_tol=1e-15):
        text = f"{value:.12g}"
    text = re.sub(r"e([+-])0*(\d)", r"e\1\2", text).replace("e+", "e")
    if text.startswith("-"):
        text = MINUS + text[1:] if float(text) != 0 else text[1:]
    return text


def measure_text(value: float, unit: str, digits: int = 4) -> str:
    """Return the number with its unit: "0.25 s"; only a dash if it is not finite."""
    text = number_text(value, digits)
    return f"{text} {unit}".rstrip() if math.isfinite(value) else text


def length_text(metres: float) -> str:
    """Length as on a drawing: below a metre in millimetres to one decimal, otherwise in metres to the millimetre."""
    if abs(metres) < 0.99995:
        return f"{decimal_text(1000.0 * metres, 1).removesuffix('.0')} mm"
    return f"{decimal_text(metres, 3)} m"


def size_text(size_bytes: float) -> str:
    """Return the number of bytes: 999 B, 1.0 kB, 12 MB, 1.4 GB."""
    unit = "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size_bytes < 999.5 or unit == "TB":
            break
        size_bytes /= 1000
    return (
        f"{size_bytes:.1f} {unit}"
        if unit != "B" and size_bytes < 9.95
        else f"{size_bytes:.0f} {unit}"
    )


def duration_text(seconds: float) -> str:
    """Approximate waiting time, s."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 100:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 5700:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
