"""Colours of the viewport, dark and light."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 1, as on the screen (not linear light)."""


def colour(text: str) -> Colour:
    """Return the colour of a text such as "#4cc2ff"."""
    return int(text[1:3], 16) / 255, int(text[3:5], 16) / 255, int(text[5:7], 16) / 255


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of everything in the viewport; sRGB."""

    floor: Colour
    """Ground in the centre of the frame."""

    horizon: Colour
    """Ground at the horizon."""

    sky: Colour
    """Background at the top."""

    grid_minor: Colour
    """Minor lines of the grid."""

    grid_major: Colour
    """Major lines of the grid."""

    shadow: float
    """Fraction of the floor's light that a full shadow removes, 0 to 1."""

    link: Colour
    """Shells of the links."""

    link_trim: Colour
    """Rings of the shells."""

    joint: Colour
    """Joints."""

    head: Colour
    """Shell of the head."""

    visor: Colour
    """Visor of the head."""

    support: Colour
    """Anchors and rings that hold a continuous body and carry no load."""

    obstacle: Colour
    terrain: Colour
    """Obstacles to move on: stairs, ramps, uneven ground, rubble."""

    force: Colour
    """Arrows of normal forces of obstacles."""

    friction: Colour
    """Arrows of friction."""

    stick: Colour
    """Contact points that stick."""

    slip: Colour
    """Contact points that slide."""

    accent: Colour
    """Selection, trail, eyes."""

    hover: Colour
    """Outline under the cursor."""

    path: Colour
    """The path on the ground and its waypoints."""

    ghost: Colour
    """Translucent robots."""

    text: Colour
    """Labels."""

    text_dim: Colour
    """Secondary labels."""

    axis_x: Colour
    """The x axis."""

    axis_y: Colour
    """The y axis."""

    axis_z: Colour
    """The z axis."""

    ambient_up: Colour
    """Light from the sky, linear."""

    ambient_down: Colour
    """Light from the floor, linear."""


DARK = Theme(
    floor=colour("#222a33"),
    horizon=colour("#1b2128"),
    sky=colour("#14181d"),
    grid_minor=colour("#2c3540"),
    grid_major=colour("#3d4957"),
    shadow=0.72,
    link=colour("#33a873"),
    link_trim=colour("#1c3d31"),
    joint=colour("#20262d"),
    head=colour("#3cbf85"),
    visor=colour("#11161b"),
    support=colour("#76828f"),
    obstacle=colour("#c97a3d"),
    terrain=colour("#94826c"),
    force=colour("#ffb454"),
    friction=colour("#c792ea"),
    stick=colour("#55d68b"),
    slip=colour("#ffb454"),
    accent=colour("#4cc2ff"),
    hover=colour("#a9c7da"),
    path=colour("#e6dc6a"),
    ghost=colour("#8fd3ff"),
    text=colour("#e6ebf1"),
    text_dim=colour("#8d9aab"),
    axis_x=colour("#e8788a"),
    axis_y=colour("#8fd46a"),
    axis_z=colour("#5aa9ff"),
    ambient_up=(0.46, 0.50, 0.56),
    ambient_down=(0.13, 0.14, 0.16),
)

LIGHT = Theme(
    floor=colour("#eef1f4"),
    horizon=colour("#dfe5ea"),
    sky=colour("#c9d4de"),
    grid_minor=colour("#dbe1e7"),
    grid_major=colour("#bcc7d2"),
    shadow=0.42,
    link=colour("#2f9e6e"),
    link_trim=colour("#1d5a43"),
    joint=colour("#39424c"),
    head=colour("#37b27d"),
    visor=colour("#1b232b"),
    support=colour("#8b96a1"),
    obstacle=colour("#e08d49"),
    terrain=colour("#bda88a"),
    force=colour("#d97a00"),
    friction=colour("#8d4fc0"),
    stick=colour("#1f9d57"),
    slip=colour("#d97a00"),
    accent=colour("#0a84d0"),
    hover=colour("#5c7c93"),
    path=colour("#948a00"),
    ghost=colour("#2a8fcb"),
    text=colour("#1b2027"),
    text_dim=colour("#667484"),
    axis_x=colour("#c64a60"),
    axis_y=colour("#4f9a2c"),
    axis_z=colour("#2f74cf"),
    ambient_up=(0.52, 0.54, 0.58),
    ambient_down=(0.26, 0.26, 0.27),
)


@lru_cache(maxsize=4)
def greyed(theme: Theme) -> Theme:
    """Return the theme with a grey robot, for a state that is no longer current."""
    return replace(
        theme,
        link=_grey(theme.link),
        link_trim=_grey(theme.link_trim),
        joint=_grey(theme.joint),
        head=_grey(theme.head),
        visor=_grey(theme.visor),
        accent=_grey(theme.accent),
    )


def _grey(of: Colour) -> Colour:
    """Return the grey with the brightness of a colour (Rec. 709)."""
    luma = 0.2126 * of[0] + 0.7152 * of[1] + 0.0722 * of[2]
    return (luma, luma, luma)
