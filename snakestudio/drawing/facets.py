"""Number of facets of bodies: as many as are visible."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.quality import Settings
from snakestudio.drawing.view import View

_STEPS = (8, 12, 16, 20, 24, 32, 48, 64)
"""Numbers of facets for which meshes exist."""


_BEVELLED = 8.0
"""Radius of a post above which its bevel is visible, pixels."""


def facets(pixels: float, tolerance: float, most: int, count: int, budget: int) -> int:
    """Return the facets around a body for a tolerance of its outline, within a budget for all `count` bodies.

    Parameters
    ----------
    pixels : float
        Radius in the frame, pixels.
    tolerance : float
        Pixels.
    most : int
        Largest number of facets.
    count, budget : int
        Number of bodies, and facets for all of them together.
    """
    needed = math.pi / math.acos(1.0 - min(tolerance / max(pixels, 0.5), 0.5))
    most = max(8, min(most, budget // max(count, 1)))
    return next((step for step in _STEPS if step >= min(needed, most)), _STEPS[-1])


def link_facets(settings: Settings, draw_list: DrawList, view: View) -> int:
    """Return the facets around a link."""
    known = draw_list.links.position[draw_list.links.known]
    if not len(known):
        return 16
    height = float(view.camera.view_height(known).min())
    if draw_list.tube is not None:
        # Only the head and the anchors are such solids: they are few, and lie close to a finer
        # tube.
        return max(
            32, facets(draw_list.link_radius / height * view.height, settings.tolerance, 64, 1, 64)
        )
    return facets(
        draw_list.link_radius / height * view.height,
        settings.tolerance,
        settings.detail,
        len(known),
        8000,
    )


def post_look(settings: Settings, draw_list: DrawList, view: View) -> tuple[str, int]:
    """Return the mesh of the posts, and facets around one."""
    these = draw_list.world.posts
    if not len(these.radius):
        return "obstacle", 16
    height = view.camera.view_height(np.column_stack((these.centre, these.height)))
    pixels = float((these.radius / height).max()) * view.height
    mesh = "obstacle" if pixels > _BEVELLED else "stub"
    return mesh, facets(pixels, settings.tolerance, 2 * settings.detail, len(height), 24000)


def cast_facets(draw_list: DrawList, texel: float) -> int:
    """Return the facets around a post in a height map with a texel size, m."""
    these = draw_list.world.posts
    return facets(float(these.radius.max(initial=0.0)) / texel, 0.5, 32, len(these.radius), 24000)
