"""Masses of bodies in MJCF files, from <inertial> elements or geoms, with the settings of <compiler>."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import BodyDescription, Inertial
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.mjcf_file import MjcfFile
from snakestudio.robot_files.solids import summed


def inertial_of(file: MjcfFile, body: Element, geoms: Sequence[Inertial]) -> Inertial | None:
    """Return the mass and inertia of a body in its frame; None if it has no mass.

    Parameters
    ----------
    geoms : sequence of Inertial
        Masses of its geoms in its frame.
    """
    settings = file.compiler
    own = body.find("inertial")
    from_geoms = {"true": bool(geoms), "auto": own is None}.get(settings.from_geometry, False)
    if from_geoms:
        result = summed(geoms)
    elif own is not None:
        result = _written(file, own)
    else:
        result = None
    return _bounded(file, body, result)


def _written(file: MjcfFile, element: Element) -> Inertial:
    where = element.location
    mass = float_of(element.get("mass"), f"{where} mass")
    if mass < 0:
        raise InputError(f"{where}: the mass is {mass:g} kg", "set a mass of 0 or more")
    frame = file.placement(element)
    if text := element.get("fullinertia"):
        xx, yy, zz, xy, xz, yz = vector_of(text, 6, f"{where} fullinertia")
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(vector_of(element.get("diaginertia", "0 0 0"), 3, f"{where} diaginertia"))
    return Inertial(mass, frame.position, frame.rotation @ inertia @ frame.rotation.T)


def _bounded(file: MjcfFile, body: Element, inertial: Inertial | None) -> Inertial | None:
    """Return the mass and principal moments of at least the bounds of <compiler>, balanced on request."""
    settings = file.compiler
    if inertial is None:
        if settings.least_mass <= 0.0:
            return None
        # MuJoCo places the mass of an empty body at the position of the body, counted in the body itself.
        inertial = Inertial(0.0, file.placement(body).position, np.zeros((3, 3)))
    mass = max(inertial.mass, settings.least_mass)
    inertia = inertial.inertia
    if settings.least_inertia > 0.0 or settings.balance:
        moments, axes = np.linalg.eigh(inertia)
        moments = np.maximum(moments, settings.least_inertia)
        if settings.balance and 2.0 * moments.max() > moments.sum():
            moments[:] = moments.mean()
        inertia = axes @ np.diag(moments) @ axes.T
    return Inertial(mass, inertial.centre, inertia)


def with_total_mass(bodies: list[BodyDescription], total: float) -> list[BodyDescription]:
    """Return the bodies with all masses scaled to a total mass, kg; unchanged if it is not positive."""
    mass = sum(body.inertial.mass for body in bodies if body.inertial is not None)
    if mass <= 0 or total <= 0:
        return bodies
    return [
        body
        if body.inertial is None
        else replace(
            body,
            inertial=Inertial(
                body.inertial.mass * total / mass,
                body.inertial.centre,
                body.inertial.inertia * total / mass,
            ),
        )
        for body in bodies
    ]
