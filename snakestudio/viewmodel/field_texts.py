"""Texts about declared scene values: explanation, range, and reasons for rejection."""

from __future__ import annotations

from typing import Any

from snakestudio.model.fields import FieldDoc
from snakestudio.text import capitalized, exact_text
from snakestudio.viewmodel.papers import cited

_CHOICES = {
    None: "Model default",
    "pd": "PD",
    "sqrt": "v / √(v² + ε²)",
    "tanh": "tanh(v / ε)",
}
"""Labels of choices that differ from the values in the file."""


def choice_text(choice: Any) -> str:
    """Return the label of a choice: "Unit velocity"."""
    known = _CHOICES.get(choice)
    if known is not None or choice is None:
        return known or ""
    return capitalized(str(choice).replace("_", " "))


def explanation(doc: FieldDoc, key: str, dim: str, unused: str = "") -> str:
    """Return the tooltip of a value: explanation, symbol, range, default, key, and why it has no effect, if so.

    Parameters
    ----------
    dim : str
        Colour of secondary text, "#rrggbb".
    """
    unit = f" {doc.unit}" if doc.unit else ""
    lines = [
        f"<b>{doc.label}</b>" + (f" &nbsp;{symbol_html(doc.symbol)}" if doc.symbol else ""),
        cited(doc.help) + ".",
    ]
    if unused:
        lines.append(f"<b>It has no effect in this scene: {unused}.</b>")
    low = None if doc.minimum is None else exact_text(doc.minimum)
    high = None if doc.maximum is None else exact_text(doc.maximum)
    more = "more than" if doc.exclusive_minimum else "at least"
    if low is not None and high is not None:
        lines.append(f"{more.capitalize()} {low}, at most {high}{unit}.")
    elif low is not None:
        lines.append(f"{more.capitalize()} {low}{unit}.")
    elif high is not None:
        lines.append(f"At most {high}{unit}.")
    if isinstance(doc.default, int | float) and not isinstance(doc.default, bool):
        lines.append(f"Default {exact_text(float(doc.default))}{unit}.")
    if isinstance(doc.default, str) and doc.default:
        lines.append(f"Default {doc.default.replace('_', ' ')}.")
    elif isinstance(doc.default, bool):
        lines.append(f"Default {'on' if doc.default else 'off'}.")
    lines.append(
        "Takes effect while the robot moves." if doc.live else "Takes effect after a reset."
    )
    return f"<qt>{'<br>'.join(lines)}<br><span style='color:{dim}'>{key}</span></qt>"


def symbol_html(symbol: str) -> str:
    """Return a symbol as HTML, with the index of ``K_P`` as a subscript."""
    base, _, index = symbol.partition("_")
    return f"<i>{base}</i>" + (f"<sub>{index}</sub>" if index else "")
