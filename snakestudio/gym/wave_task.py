"""Tasks whose actions are parameters of the gait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Task
from snakestudio.gym.task_state import TaskState
from snakestudio.gym.wave_drive import PARAMETERS, WaveDrive


class WaveTask(Task):
    """Task whose actions are parameters of the waves that the joints follow.

    A task names the parameters with their ranges in `parameters`; all others are those of the scene's
    gait, which must consist of waves. `docs/environments.md` has the equation.

    Raises `UsageError` or `SceneError` if the scene does not fit the task.
    """

    parameters: ClassVar[Sequence[Entry]] = ()
    """Parameters that an action sets: "yaw_amplitude_rad", "pitch_amplitude_rad", "frequency_hz",
    "phase_shift_rad" and "offset_rad", or some of them."""

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        names = [getattr(entry, "name", None) for entry in self.parameters]
        if not names or set(names) - set(PARAMETERS):
            raise UsageError(
                f"{type(self).__name__}.parameters must be Entry(name, low, high) of a wave "
                f"(got {self.parameters!r}). The names are {', '.join(PARAMETERS)}."
            )
        self._drive = WaveDrive(self.scene, self.actions, n, self.dt)

    def action_entries(self) -> Sequence[Entry]:
        """Return `parameters`."""
        return self.parameters

    def begin(self, worlds: IndexArray, state: TaskState) -> None:
        """Start an episode in some of the worlds."""
        super().begin(worlds, state)
        self._drive.begin(worlds, state.joint_angle)

    def joint_targets(self, action: FloatArray) -> FloatArray:
        """Return the joint angles of the waves, (n, m), rad."""
        return self._drive.joint_targets(action)

    def wave_entries(self) -> tuple[Entry, ...]:
        """Return the sine and cosine of the phase, and current values of `parameters`."""
        return (Entry("phase_sin", -1.0, 1.0), Entry("phase_cos", -1.0, 1.0), *self.actions)

    def wave_values(self) -> list[FloatArray]:
        """Return the values of `wave_entries`."""
        return self._drive.values()
