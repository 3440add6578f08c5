"""The kinds of plot of a continuous body: profiles over it at an instant, maps over body and time, what holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snakestudio.gui.core import theme
from snakestudio.gui.plots.plot_type import CurveSpec, PlotType, link_colour
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

__all__ = ["BODY_VIEWS", "default_body_views"]


class _Quantity(NamedTuple):
    """Something that every cross-section has: its channel and its unit."""

    channel: str
    unit: str


_QUANTITIES = {
    "C_Z": _Quantity("body_c_z", "N m"),
    "|C|": _Quantity("body_c", "N m"),
    "C_Y": _Quantity("body_c_y", "N m"),
    "C_X": _Quantity("body_c_x", "N m"),
    "N_X": _Quantity("body_n_x", "N"),
    "N_Y": _Quantity("body_n_y", "N"),
    "N_Z": _Quantity("body_n_z", "N"),
    "|N|": _Quantity("body_n", "N"),
    "K_Z": _Quantity("body_k_z", "1/m"),
    "K_Y": _Quantity("body_k_y", "1/m"),
    "K_X": _Quantity("body_k_x", "1/m"),
    "Γ_X − 1": _Quantity("body_stretch", ""),
}
"""By the papers' symbols: torques, forces, curvatures and twist, stretch."""

_TORQUES, _FORCES = ("C_Z", "|C|", "C_Y", "C_X"), ("N_X", "N_Y", "N_Z", "|N|")
_CURVATURES, _STRETCH = ("K_Z", "K_Y", "K_X"), ("Γ_X − 1",)


def _map(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Every cross-section, the head first."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        chosen, n = _QUANTITIES[choices[index]], len(schema.sections)
        return [
            CurveSpec(chosen.channel, i, f"X {place:.3g} m", link_colour(i, n), chosen.unit)
            for i, place in enumerate(schema.sections)
        ]

    return lines


def _profile(schema: Schema, index: int) -> list[CurveSpec]:
    """One line for all cross-sections, whose channel has a column for each."""
    symbol = tuple(_QUANTITIES)[index]
    chosen = _QUANTITIES[symbol]
    return [CurveSpec(chosen.channel, 0, symbol, theme.current().accent, chosen.unit)]


def _section(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Some quantities of one cross-section over the time."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = theme.current()
        colours = (p.accent, p.warning, p.friction)
        return [
            CurveSpec(_QUANTITIES[symbol].channel, index, symbol, colour, _QUANTITIES[symbol].unit)
            for symbol, colour in zip(choices, colours, strict=True)
        ]

    return lines


def _held(channel: str, unit: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = schema.n_holds
        return [CurveSpec(channel, i, f"contact {i + 1}", link_colour(i, p), unit) for i in range(p)]

    return lines


def _axial(schema: Schema, index: int) -> list[CurveSpec]:
    p = theme.current()
    shown = (("axial_speed_mps", "along the body", p.accent), ("slip_mps", "slip", p.friction))
    return [CurveSpec("control", schema.extra.index(name), text, colour, "m/s") for name, text, colour in shown]


_RESULTANT = tuple(f"resultant_{what}" for what in ("fx_n", "fy_n", "fz_n", "mx_nm", "my_nm", "mz_nm"))


def _resultant(first: int, symbol: str, unit: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = theme.current()
        colours = (p.accent, p.warning, p.friction)
        return [
            CurveSpec("control", schema.extra.index(_RESULTANT[first + axis]), f"{symbol}_{'XYZ'[axis]}", colour, unit)
            for axis, colour in enumerate(colours)
        ]

    return lines


def _body_map(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    return PlotType(
        title, unit, _map(choices), Fields.NONE if choices in (_CURVATURES, _STRETCH) else Fields.TORQUE,
        chooser="quantity", style="heat", least=least, of="body", choices=choices, signed=True,
    )  # fmt: skip


def _over_time(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    needs = Fields.NONE if choices == _CURVATURES else Fields.TORQUE
    return PlotType(title, unit, _section(choices), needs, chooser="link", least=least, of="body")


BODY_VIEWS = {
    "profile": PlotType(
        "Profile along the body", "", _profile, Fields.NONE, chooser="quantity", style="profile", least=1e-6, of="body",
        choices=tuple(_QUANTITIES), signed=True,
    ),
    "body_torque": _body_map("Internal torque by section", "N m", _TORQUES, 1e-6),
    "body_force": _body_map("Internal force by section", "N", _FORCES, 1e-6),
    "body_curvature": _body_map("Curvature by section", "1/m", _CURVATURES, 1e-3),
    "body_stretch": _body_map("Stretch by section", "", _STRETCH, 1e-4),
    "section_torque": _over_time("Torque in a section", "N m", ("C_X", "C_Y", "C_Z"), 1e-6),
    "section_force": _over_time("Force in a section", "N", ("N_X", "N_Y", "N_Z"), 1e-6),
    "section_curvature": _over_time("Curvature of a section", "1/m", _CURVATURES, 1e-3),
    "supports": PlotType(
        "Contact forces", "N", _held("hold_force", "N"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
        holds=True,
    ),
    "support_torques": PlotType(
        "Contact torques", "N m", _held("hold_torque", "N m"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
        holds=True,
    ),
    "resultant_force": PlotType(
        "Resultant force on the body", "N", _resultant(0, "F", "N"), Fields.NONE, least=1e-3, of="body",
        columns=_RESULTANT[:3],
    ),
    "resultant_torque": PlotType(
        "Resultant torque about the head", "N m", _resultant(3, "M", "N m"), Fields.NONE, least=1e-3, of="body",
        columns=_RESULTANT[3:],
    ),
    "axial": PlotType(
        "Axial speed and slip", "m/s", _axial, Fields.NONE, least=0.01, of="body",
        columns=("axial_speed_mps", "slip_mps"),
    ),
}  # fmt: skip
"""By name."""


def default_body_views(scene: Scene) -> tuple[str, str, str, str]:
    """What the four plots of a continuous body show at first."""
    inside = "body_force" if scene.beam.group == "R" else "body_torque"
    held = "supports" if scene.support.kinematic else "speed"
    return "profile", inside, held, "position"
