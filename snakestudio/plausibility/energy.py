"""Detectors of energy that comes from nowhere: the balance of energy, and work of what only takes energy."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.scene import Scene
from snakestudio.plausibility.accumulators import Peak, Rise
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.bounds import weight_of
from snakestudio.plausibility.detector import Exceedance, amount
from snakestudio.text import number_text

MOST_UNEXPLAINED = 0.02
"""Largest plausible share of the exchanged energy that the works do not explain."""

MOST_RETURNED = 0.2
"""Largest plausible share of the exchanged energy that passive parts return."""

_FLOOR = 1e-3
"""Energy that is never implausible, in energies that lift the robot by its radius: rounding of runs at rest."""

PASSIVE = {
    "work_friction": "friction",
    "work_obstacle": "obstacles",
    "work_joint": "the joints' bearings",
    "work_stop": "the joints' stops",
    "work_damper": "the joints' dampers",
    "work_dry_friction": "the joints' dry friction",
}
"""Works that only take energy, and what does them."""


class _Throughput:
    """Energy that was exchanged: the sum of the changes of all works, and the largest kinetic energy."""

    def __init__(self, names: tuple[str, ...], scene: Scene) -> None:
        self._names = names
        self._changed = 0.0
        self._kinetic = 0.0
        self.lift = weight_of(scene) * scene.body.radius
        """Energy that lifts the robot by its radius, J."""

    def feed(self, block: Block) -> None:
        columns = [block.schema.energy.index(name) for name in self._names]
        self._changed += float(np.abs(block.energy_change[:, columns]).sum())
        self._kinetic = max(self._kinetic, float(block.energy("kinetic").max()))

    @property
    def value(self) -> float:
        return self._changed + self._kinetic


class EnergyBalance:
    """Kinetic energy that does not come from the recorded works."""

    def __init__(self, context: RunContext) -> None:
        kind = FORMULATIONS[context.scene.model.kind]
        omitted = kind.works_outside_balance or ()
        self._works = tuple(
            name
            for name in context.schema.energy
            if name.startswith("work_") and name not in omitted
        )
        self._numerical = tuple(
            name for name in kind.numerical_works if name in context.schema.energy
        )
        self._throughput = _Throughput(self._works, context.scene)
        self._start: float | None = None
        self._peak = Peak()

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        self._throughput.feed(block)
        unbalanced: FloatArray = block.energy("kinetic") - sum(map(block.energy, self._works))
        if self._start is None:
            self._start = float(unbalanced[0])
        errors = sum(np.abs(block.energy(name)) for name in self._numerical)
        self._peak.feed(block.time, np.abs(unbalanced - self._start) + errors)

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        peak = self._peak
        exchanged = self._throughput.value
        limit = MOST_UNEXPLAINED * exchanged + _FLOOR * self._throughput.lift
        if peak.value <= limit:
            return None
        return Exceedance(
            peak.value,
            limit,
            peak.time,
            f"{amount(peak.value)} J of energy are unexplained at {number_text(peak.time, 4)} s, "
            f"{amount(100.0 * peak.value / exchanged)} % of the {amount(exchanged)} J exchanged",
        )


class PassiveWork:
    """Friction, obstacles, bearings or stops drive the robot instead of braking it."""

    def __init__(self, context: RunContext) -> None:
        self._throughput = _Throughput(
            tuple(name for name in context.schema.energy if name.startswith("work_")), context.scene
        )
        self._rises = {name: Rise() for name in PASSIVE if name in context.schema.energy}
        self._obstacles = context.scene.obstacles
        self._scene_at = context.scene_at

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        self._throughput.feed(block)
        if self._scene_at(float(block.time[-1])).obstacles != self._obstacles:
            self._rises.pop("work_obstacle", None)  # obstacles that are moved do work
        for name, rise in self._rises.items():
            rise.feed(block.time, block.energy(name))

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        exchanged = self._throughput.value
        limit = MOST_RETURNED * exchanged + 0.1 * self._throughput.lift
        name, peak = max(
            ((name, rise.largest) for name, rise in self._rises.items()),
            key=lambda entry: entry[1].value,
        )
        if peak.value <= limit:
            return None
        return Exceedance(
            peak.value,
            limit,
            peak.time,
            f"{PASSIVE[name]} gave the robot {amount(peak.value)} J up to {number_text(peak.time, 4)} s, "
            "but can only take energy",
        )
