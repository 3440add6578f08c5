"""Masses of MJCF files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    BodyDescription,
    Inertial,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.mjcf_file import MjcfFile


def inertial_of(file: MjcfFile, element: Element) -> Inertial:
    """Mass and inertia of an <inertial> element in the frame of its body."""
    where = element.place
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


def with_total_mass(bodies: list[BodyDescription], total: float) -> list[BodyDescription]:
    """Bodies with all masses scaled to a total mass, kg."""
    mass = sum(body.inertial.mass for body in bodies if body.inertial is not None)
    if mass <= 0:
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
