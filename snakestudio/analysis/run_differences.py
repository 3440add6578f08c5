"""Differences between runs of the same robot: the same quantities of each run at common times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Recording, Rows, Schema
from snakestudio.model.rotations import roll_pitch_yaw

_SAME_TIME = 1e-6
"""Tolerance for the match of a time with a row, as a fraction of the interval between two rows; sums
of time steps round differently."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that is compared."""

    name: str
    """Stem of its CSV column names."""

    label: str
    """Label for people."""

    unit: str
    suffix: str
    """Unit in the form used at the end of column names."""

    axes: str = ""
    """"xyz" for a vector, "" for a scalar."""

    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns, one per axis."""
        parts = [f"{self.name}_{axis}" for axis in self.axes] or [self.name]
        return tuple(f"{part}_{self.suffix}" for part in parts)


LINKS = Quantity("links", "links, RMS", "m", "m")
"""Distance between corresponding link centres of two runs, root mean square over the links."""

QUANTITIES = (
    Quantity("com", "centre of mass", "m", "m", "xyz"),
    LINKS,
    Quantity("heading", "mean heading", "°", "deg"),
    Quantity("energy_kinetic", "kinetic energy", "J", "j"),
    Quantity("work_actuator", "actuator work", "J", "j"),
    Quantity("work_friction", "friction work", "J", "j"),
    Quantity("impulse_obstacle", "obstacle impulse", "N s", "ns", "xyz"),
    Quantity("impulse_ground", "ground impulse", "N s", "ns", "xyz"),
)
"""All quantities, in the order of tables. Works and impulses are accumulated from the start; the
ground impulse includes friction and normal forces."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Quantities of one run at k common times."""

    count: int
    """Number of times up to the end of the run; later values are NaN."""

    values: dict[str, FloatArray]
    """Values by name of the quantity, in its unit; without `LINKS`, which needs two runs."""

    links: FloatArray
    """Centres of the links or, for a continuous body, of its cross-sections, m. Shape (k, n, 3)."""

    along: FloatArray
    """Positions of these along the robot, as fractions of its length. Shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Difference of one quantity between a run and the reference."""

    series: FloatArray
    """Run minus reference at the common times; for a vector the norm of the difference. NaN after the end
    of either run. Shape (k,)."""

    end: float
    """Value at the last time that both runs reached."""

    worst: float
    """Value of the largest magnitude."""

    rms: float
    """Root mean square over all times."""


def common_times(recordings: list[Recording]) -> FloatArray:
    """Return the times at which runs with the same log rate are compared, s: those of the longest run."""
    return max((_times(recording) for recording in recordings), key=lambda times: float(times[-1]))


def sample(recording: Recording, times: FloatArray) -> Samples:
    """Return the quantities of a recording at `times` (s, ascending), interpolated linearly between rows."""
    parts = [_of_rows(rows, recording.schema) for rows in recording.chunks()]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["heading"] = np.degrees(np.unwrap(columns["heading"]))
    own = _times(recording)
    values = {name: _at(column, own, times) for name, column in columns.items()}
    n = recording.schema.n_links
    schema = recording.schema
    along = (
        np.array(schema.sections) / schema.sections[-1]
        if schema.sections
        else (np.arange(n) + 0.5) / n
    )
    return Samples(
        int(np.count_nonzero(times <= own[-1] + 1e-9)), values, values.pop("links"), along
    )


def _at_same_places(run: Samples, reference: Samples) -> tuple[FloatArray, FloatArray]:
    """Link centres of both runs; for a body and a chain, the body is evaluated at the links of the chain."""
    one = run.links
    other = reference.links
    if len(run.along) > len(reference.along):
        one = _moved_to(run, reference.along)
    elif len(run.along) < len(reference.along):
        other = _moved_to(reference, run.along)
    return one, other


def _moved_to(samples: Samples, along: FloatArray) -> FloatArray:
    """Return the points at other positions along the robot, (k, m, 3)."""
    from scipy.interpolate import CubicSpline

    links = np.full((len(samples.links), len(along), 3), np.nan)
    links[: samples.count] = CubicSpline(samples.along, samples.links[: samples.count], axis=1)(
        along
    )
    return links


def difference(quantity: Quantity, run: Samples, reference: Samples) -> Difference:
    """Return the difference between `run` and `reference`, both sampled at the same times."""
    if quantity is LINKS:
        one, other = _at_same_places(run, reference)
        series = np.sqrt(np.square(one - other).sum(axis=2).mean(axis=1))
    else:
        series = run.values[quantity.name] - reference.values[quantity.name]
        if quantity.axes:
            series = np.linalg.norm(series, axis=1)
    if quantity.name == "heading":
        # Ignore full turns: the heading of a robot that starts towards -x can begin at +180 or -180 degrees.
        series = series - 360.0 * np.round(series[0] / 360.0)
    common = series[: min(run.count, reference.count)]
    worst = float(np.abs(common).max())
    return Difference(series, float(common[-1]), worst, float(np.sqrt(np.mean(np.square(common)))))


def _times(recording: Recording) -> FloatArray:
    return np.concatenate([rows.time for rows in recording.chunks()])


def _of_rows(rows: Rows, schema: Schema) -> dict[str, FloatArray]:
    centre = rows.link_pose[:, :, :3]
    # Average along the chain first: headings on both sides of the -x axis must not cancel out.
    yaw = np.unwrap(roll_pitch_yaw(rows.link_pose[:, :, 3:])[:, :, 2], axis=1)
    centre_of_mass = np.einsum("n,kna->ka", schema.mass_shares, centre)
    values = {"links": centre, "com": centre_of_mass, "heading": yaw.mean(axis=1)}
    for name, column in (
        ("energy_kinetic", "kinetic"),
        ("work_actuator", "work_actuator"),
        ("work_friction", "work_friction"),
    ):
        values[name] = rows.energy[:, schema.energy.index(column)]
    for name in ("impulse_obstacle", "impulse_ground"):
        values[name] = getattr(rows, name).sum(axis=1)
    return values


def _at(values: FloatArray, own: FloatArray, times: FloatArray) -> FloatArray:
    """Return values (rows, ...), given at the times `own`, interpolated at `times`; NaN after the last row."""
    right = np.clip(np.searchsorted(own, times), min(1, len(own) - 1), len(own) - 1)
    left = np.maximum(right - 1, 0)
    span = own[right] - own[left]
    fraction = np.divide(times - own[left], span, out=np.zeros(len(times)), where=span > 0)
    nearest = np.clip(np.round(fraction), 0.0, 1.0)
    fraction = np.where(np.abs(fraction - nearest) < _SAME_TIME, nearest, fraction)
    fraction = fraction.reshape(-1, *[1] * (values.ndim - 1))
    # This form returns the row values bit for bit at 0 and at 1.
    between: FloatArray = (1.0 - fraction) * values[left] + fraction * values[right]
    between[times > own[-1] + 1e-9] = np.nan
    return between
