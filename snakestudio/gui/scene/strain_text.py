"""Texts of strain laws: titles, the papers' cases, readable formulas and editable formulas."""

from __future__ import annotations

import html
import re

from snakestudio.gui.scene.presets import ScenePreset
from snakestudio.model.robot.strain import (
    COMPONENTS,
    Formulas,
    Inching,
    Peristalsis,
    Serpentine,
    Strain,
)
from snakestudio.text import exact_text

STRAIN_TITLES = {
    "serpentine": "Serpentine (snake)",
    "peristalsis": "Peristalsis (worm)",
    "inching": "Inching (inchworm)",
    "formulas": "Formulas",
}
"""Titles of the kinds of strain law."""

SYMBOLS = {
    name: f"<i>{letter}</i><sub>{axis}</sub>"
    for name, (letter, axis) in zip(
        COMPONENTS, [(letter, axis) for letter in ("Γ", "K") for axis in "XYZ"], strict=True
    )
}
"""Symbols of the strains as in the papers, rich text."""

SPEED = "<i>V</i><sub>0</sub>"
"""Symbol of the axial speed, rich text."""


def _case(
    strain: Strain, support: str, group: str, length: float, radius: float
) -> dict[str, object]:
    return {
        "strain": strain,
        "support.kind": support,
        "beam.group": group,
        "beam.length_m": length,
        "beam.radius_m": radius,
    }


STRAINS = (
    ScenePreset(
        "Worm",
        _case(Peristalsis(), "wave_anchors", "R", 0.3, 0.01),
        "Waves of stretch travel along the body, which is anchored where it is shortest",
        "P5, VIII-A",
    ),
    ScenePreset(
        "Accelerating worm",
        _case(Peristalsis(speed_m_s=0.1, acceleration_m_s2=0.02), "wave_anchors", "R", 0.3, 0.01),
        "As Worm, with accelerating waves, so that the anchor has to push",
        "P5, VIII-A",
    ),
    ScenePreset(
        "Inchworm",
        _case(Inching(), "end_anchors", "SE2", 0.5, 0.02) | {"support.period_s": 2.0},
        "The body arches while the head is anchored and flattens while the tail is",
        "P5, VIII-B",
    ),
    ScenePreset(
        "2D snake with a turn",
        _case(Serpentine(turn_per_m=2.0), "rings", "SE2", 1.0, 0.02),
        "A planar snake that slides through rings along its own path and turns once",
        "P5, VIII-C",
    ),
    ScenePreset(
        "3D snake",
        _case(
            Serpentine(lift_per_m=0.5, turn_start_s=2.0, turn_duration_s=4.0),
            "rings",
            "SE3",
            1.0,
            0.02,
        ),
        "A snake in space that slides through rings; its turn leaves the plane",
        "P5, VIII-D",
    ),
)
"""The papers' cases: a strain law with matching contacts, motions and size of the body."""

_GREEK = {
    "eps": "ε",
    "lam": "λ",
    "alpha": "α",
    "pi": "π",
    "b_y": "b<sub>Y</sub>",
    "t_o": "t<sub>0</sub>",
    "T_o": "T<sub>0</sub>",
    "V": "V<sub>0</sub>",
}
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_TERM = re.compile(r" \+ 0\*[A-Za-z]\w*(?=\))")
_NUMBER_ALONE = re.compile(r"(?<![\w)])\(([\d.]+)\)(?!\^)")
"""Number in parentheses that do not belong to a function."""


def _readable(formula: str) -> str:
    """Return a formula as rich text: Greek letters, superscript powers, no asterisks."""

    def name(match: re.Match[str]) -> str:
        symbol = match[0]
        if formula[match.end() : match.end() + 1] == "(" and len(symbol) > 1:
            return symbol  # a function
        return f"<i>{_GREEK.get(symbol, symbol)}</i>"

    text = _NAME.sub(name, formula)
    text = re.sub(r"\^(\d+|\([^()]*\))", r"<sup>\1</sup>", text)
    return text.replace("*", "\N{THIN SPACE}").replace(" - ", " − ").replace("-(", "−(")


def readable_law(strain: Strain) -> str:
    """Return the law as rich text: a line for each given strain, the axial speed, and its constants."""
    text = strain.text()
    lines = [
        f"{SYMBOLS[name]} = {_readable(text.strains[name])}"
        for name in COMPONENTS
        if text.strains.get(name, "0") not in ("0", "1" if name == "gamma_x" else "0")
    ]
    if text.speed and text.speed not in text.constants:
        lines.append(f"{SPEED} = {_readable(text.speed)}")
    used = set(_NAME.findall(" ".join([*text.strains.values(), text.speed])))
    values = []
    for name, (value, unit) in text.constants.items():
        if name in used:
            constant = f"<i>{_GREEK.get(name, name)}</i> = {exact_text(value)} {html.escape(unit)}".rstrip()
            values.append(constant.replace("^2", "²").replace(" ", "&nbsp;"))
    return "<br>".join([*lines, *([", ".join(values)] if values else [])])


def as_formulas(strain: Strain) -> Formulas:
    """Return the law as editable formulas, numbers filled in; terms with factor 0 are omitted."""
    text = strain.text()
    constants = {name: value for name, (value, _) in text.constants.items()}

    def filled(formula: str) -> str:
        terms = [
            term for term in _terms(formula) if constants.get(term.partition("*")[0], 1.0) != 0.0
        ]
        remaining = " + ".join(terms) or "0"

        def number(match: re.Match[str]) -> str:
            value = constants.get(match[0])
            if value is None:
                return match[0]
            digits = f"{value:.12g}"
            return digits if value >= 0 or match[0] == remaining else f"({digits})"

        result = _NO_TERM.sub("", _NAME.sub(number, remaining))
        return _NUMBER_ALONE.sub(r"\1", result)

    strains = {name: filled(formula) for name, formula in text.strains.items()}
    return Formulas().model_copy(
        update={**strains, "speed_m_s": filled(text.speed) if text.speed else ""}
    )


def _terms(formula: str) -> list[str]:
    """Return the summands of a formula outside of all parentheses."""
    terms = []
    depth = 0
    begin = 0
    for index, sign in enumerate(formula):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and formula.startswith(" + ", index):
            terms.append(formula[begin:index])
            begin = index + 3
    return [*terms, formula[begin:]]
