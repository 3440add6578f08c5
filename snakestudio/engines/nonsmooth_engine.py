"""Base of both non-smooth formulations: growing contact arrays, and sums per contact.

Their states have the entries of `contact_sums` and these fields: `contact` (link, obstacle, feature
and slots in the sums of row and call, of each contact), `slot_key` and `slot_sum` (keys and sums of
the slots), and the fields in `NonsmoothEngine.by_contact`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.compiled_engine import CompiledEngine
from snakestudio.engines.contact_sums import (
    CALL_ITERATIONS,
    CALL_STEPS,
    CONTACTS,
    SLOT_CALL,
    SLOT_ROW,
    SLOTS_CALL,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
)
from snakestudio.engines.outcome import Figures
from snakestudio.engines.row_buffers import BODY
from snakestudio.engines.saved_state import agreeing, check_contacts
from snakestudio.model.scene import Scene

# Entry of State.sums.
WORST_CALL = -1

_FIGURES = STEP, CALL_STEPS, CALL_ITERATIONS, UNCONVERGED


class NonsmoothEngine(CompiledEngine):
    """A time-stepping engine with a contact problem in each step."""

    by_contact: ClassVar[tuple[str, ...]]
    """Fields of the state with one entry per contact of the capacity."""

    _space: Any
    """The `Workspace`: `_work` and the solver's workspace."""

    def _figures(self) -> Figures:
        return Figures.of(self._counts, _FIGURES, self._state.sums.item(WORST_CALL))

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        counts = self._state.counts
        return (
            (counts[CALL_ITERATIONS : CALL_STEPS + 1], 0),
            (counts[SLOTS_CALL : SLOTS_CALL + 1], 0),
            (self._state.sums[WORST_CALL:], 0.0),
            (self._state.contact[:, SLOT_CALL], -1),
        )

    @abstractmethod
    def _make_space(self, capacity: int) -> Any:
        """Return the `Workspace` of steps with at most this number of contacts."""

    @abstractmethod
    def _in_present_layout(self, state: Any) -> Any:
        """Return a saved state in the present layout, from the layout of any released version."""

    @abstractmethod
    def _count_obstacles(self, params: Any, scene: Scene) -> int:
        """Return the number of obstacles that contacts can refer to."""

    def _workspace(self) -> Any:
        return self._space

    def _make_work(self) -> None:
        self._work_capacity = len(self._state.contact)
        self._space = self._make_space(self._work_capacity)
        self._work = self._space.work

    def _fit(self, scene: Scene) -> None:
        if len(self._state.contact) != self._work_capacity:
            self._make_work()
        super()._fit(scene)

    def _grow_contacts(self) -> None:
        state = self._state
        longer = {name: _doubled(getattr(state, name)) for name in self.by_contact}
        contact = np.concatenate([state.contact, np.full_like(state.contact, -1)])
        self._state = state._replace(contact=contact, **longer)
        self._make_work()

    def _grow_slots(self) -> None:
        state = self._state
        self._state = state._replace(
            slot_key=_doubled(state.slot_key, axis=1), slot_sum=_doubled(state.slot_sum, axis=1)
        )

    def _drop_obstacles(self, old: Any, scene: Scene) -> None:
        """Discard the sums of contacts with obstacles that are no longer in the scene."""
        state = self._state
        n_obstacles = self._count_obstacles(self._params, scene)
        counters = SLOTS_ROW, SLOTS_CALL
        for count, keys, sums in zip(counters, state.slot_key, state.slot_sum, strict=True):
            used = int(state.counts[count])
            remaining = np.flatnonzero(keys[:used, BODY] < n_obstacles)
            keys[: len(remaining)] = keys[remaining]
            sums[: len(remaining)] = sums[remaining]
            state.counts[count] = len(remaining)
        state.contact[:, SLOT_ROW:] = -1

    def _checked(self, state: Any, params: Any, scene: Scene) -> Any:
        growing = (0, ("contact", *self.by_contact)), (1, ("slot_key", "slot_sum"))
        state = agreeing(self._in_present_layout(state), self._state, growing)
        check_contacts(
            state,
            CONTACTS,
            (SLOTS_ROW, SLOTS_CALL),
            len(state.q),
            self._count_obstacles(params, scene),
        )
        return state


def _doubled(array: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """Return `array` followed by the same number of zeros along `axis`."""
    return np.concatenate([array, np.zeros_like(array)], axis=axis)
