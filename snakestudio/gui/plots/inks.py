"""Colours of curves, from their names in plot types and the present theme."""

from __future__ import annotations

from functools import lru_cache

from snakestudio.gui.core import theme

_STOPS = {
    "dark": ("#4cc2ff", "#8f9dff", "#c792ea", "#ef9ac8", "#ffb454", "#e6dc6a", "#55d68b"),
    "light": ("#0a84d0", "#5560d8", "#8d4fc0", "#c2569a", "#c27500", "#8c8410", "#178a4c"),
}
_DISTINCT = (0, 4, 6, 2, 5, 3, 1)
"""Order of the stops in which neighbours differ most."""


def ink(name: str) -> str:
    """Return the colour of a name in `viewmodel.plots.plot_type` in the present theme; "#4cc2ff" is returned as is."""
    return _ink(name, theme.current())


@lru_cache(maxsize=1024)
def _ink(name: str, palette: theme.Palette) -> str:
    kind, _, value = name.partition(":")
    stops = _STOPS[palette.name]
    if kind == "ramp":
        along = float(value) * (len(stops) - 1)
        first = min(int(along), len(stops) - 2)
        return theme.mixed(stops[first], stops[first + 1], along - first)
    if kind == "distinct":
        round_, number = divmod(int(value), len(_DISTINCT))
        return theme.mixed(stops[_DISTINCT[number]], palette.text, min(0.7, 0.45 * round_))
    if kind == "stop":
        return _STOPS["dark"][int(value)]
    return name if name.startswith("#") else str(getattr(palette, name))
