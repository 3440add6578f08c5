"""The kinds of plot of a continuous body: profiles over it at an instant, maps over body and time, what holds it."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.model.column_units import unit_of
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType, link_colour

__all__ = ["BODY_VIEWS", "default_body_views"]


_SERIES = {
    "C_Z": "section_*_lambda_cz_nm",
    "|C|": "section_*_lambda_c_nm",
    "C_Y": "section_*_lambda_cy_nm",
    "C_X": "section_*_lambda_cx_nm",
    "N_X": "section_*_lambda_nx_n",
    "N_Y": "section_*_lambda_ny_n",
    "N_Z": "section_*_lambda_nz_n",
    "|N|": "section_*_lambda_n_n",
    "K_Z": "section_*_k_z_per_m",
    "K_Y": "section_*_k_y_per_m",
    "K_X": "section_*_k_x_per_m",
    "Γ_X − 1": "section_*_gamma_x_minus_1",
}
"""By the papers' symbols: torques, forces, curvatures and twist, stretch."""

_TORQUES, _FORCES = ("C_Z", "|C|", "C_Y", "C_X"), ("N_X", "N_Y", "N_Z", "|N|")
_CURVATURES, _STRETCH = ("K_Z", "K_Y", "K_X"), ("Γ_X − 1",)


def _map(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Every cross-section, the head first."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        series, n = _SERIES[choices[index]], len(schema.sections)
        return [
            CurveSpec(series, i, f"X {place:.3g} m", link_colour(i, n), unit_of(series))
            for i, place in enumerate(schema.sections)
        ]

    return lines


def _profile(schema: Schema, index: int) -> list[CurveSpec]:
    """One line for all cross-sections, whose series has a column for each."""
    symbol, series = tuple(_SERIES.items())[index]
    return [CurveSpec(series, 0, symbol, "accent", unit_of(series))]


def _section(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Some quantities of one cross-section over the time."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = ("accent", "warning", "friction")
        return [
            CurveSpec(_SERIES[symbol], index, symbol, colour, unit_of(_SERIES[symbol]))
            for symbol, colour in zip(choices, colours, strict=True)
        ]

    return lines


def _held(series: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = schema.n_holds
        return [CurveSpec(series, i, f"contact {i + 1}", link_colour(i, p), unit_of(series)) for i in range(p)]

    return lines


def _axial(schema: Schema, index: int) -> list[CurveSpec]:
    shown = (("axial_speed_mps", "along the body", "accent"), ("slip_mps", "slip", "friction"))
    return [CurveSpec(name, 0, text, colour, "m/s") for name, text, colour in shown]


_RESULTANT = tuple(f"resultant_{what}" for what in ("fx_n", "fy_n", "fz_n", "mx_nm", "my_nm", "mz_nm"))


def _resultant(first: int, symbol: str, unit: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = ("accent", "warning", "friction")
        return [
            CurveSpec(_RESULTANT[first + axis], 0, f"{symbol}_{'XYZ'[axis]}", colour, unit)
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
        choices=tuple(_SERIES), signed=True,
    ),
    "body_torque": _body_map("Internal torque by section", "N m", _TORQUES, 1e-6),
    "body_force": _body_map("Internal force by section", "N", _FORCES, 1e-6),
    "body_curvature": _body_map("Curvature by section", "1/m", _CURVATURES, 1e-3),
    "body_stretch": _body_map("Stretch by section", "", _STRETCH, 1e-4),
    "section_torque": _over_time("Torque in a section", "N m", ("C_X", "C_Y", "C_Z"), 1e-6),
    "section_force": _over_time("Force in a section", "N", ("N_X", "N_Y", "N_Z"), 1e-6),
    "section_curvature": _over_time("Curvature of a section", "1/m", _CURVATURES, 1e-3),
    "supports": PlotType(
        "Contact forces", "N", _held("contact_*_force_n"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
        holds=True,
    ),
    "support_torques": PlotType(
        "Contact torques", "N m", _held("contact_*_torque_nm"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
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
    held = "speed" if scene.support.kind == "friction" else "supports"
    return "profile", inside, held, "position"
