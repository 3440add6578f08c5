"""The gait library for scripts."""

from __future__ import annotations

from snakestudio.model.gait_preset import GaitPreset
from snakestudio.model.gaits import GAITS, unsuitable
from snakestudio.model.scene import Scene


def gaits(scene: Scene | None = None) -> tuple[GaitPreset, ...]:
    """Return the gaits of the library.

    The name of a gait is a value of ``gait``: ``simulate(scene, gait="sidewinding")``.

    Parameters
    ----------
    scene : Scene, optional
        Return only gaits that suit its robot.

    Returns
    -------
    tuple of GaitPreset
        With the attributes ``name``, ``title``, ``explanation``, ``source``, ``robot`` and ``gait``.
    """
    return tuple(preset for preset in GAITS if scene is None or not unsuitable(preset, scene))
