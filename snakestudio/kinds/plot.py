"""Kinds of plot that a kind of controller declares of its own channels."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Curve", "Plot"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A channel as a curve; angles are shown in degrees.

    Attributes
    ----------
    channel : str
        Name of the column, which ends in its unit.
    name : str
    right : bool
        On the right axis.
    faint : bool
        Drawn dim: a reference.
    """

    channel: str
    name: str
    right: bool = False
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A kind of plot, for all runs that have its channels.

    Attributes
    ----------
    key : str
        Its name in stored layouts.
    title : str
    curves : tuple of Curve
        The first tells the unit of the left axis.
    least : float
        Least length of the left axis.
    levels : tuple of (float, str)
        Values to mark, and what they are.
    place : float
        Where it stands among others.
    """

    key: str
    title: str
    curves: tuple[Curve, ...]
    least: float = 1e-9
    levels: tuple[tuple[float, str], ...] = ()
    place: float = 100.0
