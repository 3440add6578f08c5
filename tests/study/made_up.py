"""Synthetic results of studies: of any size, with values that depend smoothly on the varied ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.model.plausibility import Plausibility
from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.study.run_key import code_hash
from snakestudio.study.store import RunOutcome, RunRequest, Store
from snakestudio.study.study_file import dump_study, parse_study

__all__ = [
    "GOALS",
    "HEAD",
    "LIMIT",
    "UNITS",
    "VARY",
    "asked_of",
    "made_up_study",
    "outcome_of",
    "table_of",
    "trace_of_key",
    "write_store",
]

HEAD = 'format = 1\nscene = "snake.toml"\n'

VARY = {
    "amplitude": '[[vary]]\nkey = "gait.amplitude_deg"\nlow = 10.0\nhigh = 60.0\nsteps = {steps}\n',
    "phase": '[[vary]]\nkey = "gait.phase_shift_deg"\nlow = 20.0\nhigh = 120.0\nsteps = {steps}\n',
    "friction": '[[vary]]\nkey = "ground.mu_along"\nlow = 0.01\nhigh = 1.0\nscale = "log"\nsteps = {steps}\n',
    "across": '[[vary]]\nkey = "ground.mu_across"\nlow = 0.2\nhigh = 1.0\nsteps = {steps}\n',
    "frequency": '[[vary]]\nkey = "gait.frequency_deg_s"\nlow = 40.0\nhigh = 160.0\nsteps = {steps}\n',
    "model": '[[vary]]\nkey = "model.kind"\nvalues = ["planar_nonsmooth", "planar_lagrangian", "spatial_nonsmooth"]\n',
    "switch": '[[vary]]\nkey = "solver.warm_start"\nvalues = [true, false]\n',
}

GOALS = (
    '[[goals]]\nmeasure = "net_speed"\naim = "maximise"\n',
    '[[goals]]\nmeasure = "cost_of_transport"\naim = "minimise"\n',
    '[[goals]]\nmeasure = "straightness"\naim = "maximise"\n',
)

LIMIT = '[[limits]]\nmeasure = "largest_torque"\nat_most = 2.0\n'

UNITS = {"net_speed": "mps", "cost_of_transport": "", "straightness": "", "largest_torque": "nm"}


def made_up_study(
    vary: tuple[str, ...] = ("amplitude", "phase", "friction"),
    goals: int = 2,
    limit: bool = True,
    search: str = 'kind = "random"\npoints = 400',
    steps: int = 11,
    repeats: int = 1,
) -> StudyFields:
    """A study of these values and a number of goals."""
    parts = [HEAD, *(VARY[name].format(steps=steps) for name in vary), f"[search]\n{search}\n"]
    parts += [f"[repeats]\ncount = {repeats}\n"] if repeats > 1 else []
    return parse_study("".join([*parts, *GOALS[:goals], LIMIT if limit else ""]))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float(sum(map(ord, str(value))) % 7)


def outcome_of(study: StudyFields, request: RunRequest) -> RunOutcome:
    """Outcome of a run: some fail, and the values of the others form hills and valleys."""
    random = np.random.Generator(np.random.Philox(key=[7, 1000 * request.point + request.repeat]))
    values = [_number(request.changes[vary.all_keys[0]]) for vary in study.vary]
    shares = [
        (value - (vary.low or 0.0)) / ((vary.high or 7.0) - (vary.low or 0.0))
        for vary, value in zip(study.vary, values, strict=True)
    ]
    a, b, c = [*shares, 0.5, 0.5, 0.5][:3]
    if a > 0.9 and b > 0.75:
        sentence = "The solver found no impulse at 3.2 s: the residual stayed at 4e-3. Take a smaller step."
        return RunOutcome(
            request.key, "failed", sentence, tuple(math.nan for _ in study.measured), None, 0.4, "w"
        )
    speed = 0.25 * math.exp(-((a - 0.6) ** 2) / 0.08 - (b - 0.4) ** 2 / 0.15) * (1.1 - 0.5 * c)
    measures = {
        "net_speed": speed + 0.004 * random.normal(),
        "cost_of_transport": 0.4 + 2.0 * a**2 + 0.4 * (b - 0.2) ** 2 + 0.05 * random.normal(),
        "straightness": 0.6 + 0.4 * math.cos(3.0 * b) * (1.0 - c) + 0.01 * random.normal(),
        "largest_torque": 0.3 + 2.2 * a + 0.3 * c,
    }
    numbers = tuple(float(measures[part.measure]) for part in study.measured)
    return RunOutcome(
        request.key,
        "done",
        "",
        numbers,
        trace_of_key(request.key).packed(),
        0.4 + 0.1 * random.random(),
        "w",
        plausibility=Plausibility((), ("joint_torque", "speed")),
    )


def trace_of_key(key: str) -> Trace:
    """A path and a posture."""
    number = sum(map(ord, key))
    s = np.linspace(0.0, 1.0, 60)
    track = np.stack(
        [1.6 * s, 0.25 * np.sin((4 + number % 5) * s) + 0.2 * (number % 3) * s], axis=1
    )
    body = np.linspace(0.0, 0.9, 11)
    posture = np.stack(
        [track[-1, 0] - 0.9 + body, track[-1, 1] + 0.08 * np.sin(9 * body + number), 0 * body],
        axis=1,
    )
    return Trace(track, posture)


def asked_of(study: StudyFields, count: int | None = None) -> list[RunRequest]:
    """The runs of the first points of a study, by point and repeat."""
    count = study.n_points if count is None else count
    random = np.random.Generator(np.random.Philox(key=[11, 0]))
    requests = []
    for point in range(count):
        changes: dict[str, Any] = {}
        if study.search.kind == "grid":
            rest = point
            for vary in reversed(study.vary):
                rest, index = divmod(rest, vary.count or 1)
                changes |= dict.fromkeys(vary.all_keys, vary.step(index, vary.count or 1))
        else:
            for vary in study.vary:
                changes |= dict.fromkeys(vary.all_keys, vary.at(float(random.random())))
        requests += [
            RunRequest(point, repeat, f"{point:06d}-{repeat}", changes)
            for repeat in range(study.repeats.count)
        ]
    return requests


def table_of(
    study: StudyFields,
    count: int | None = None,
    completed: int | None = None,
    begun: tuple[tuple[int, int], ...] = (),
) -> Table:
    """The table of the first points, some of them without results."""
    requests = asked_of(study, count)
    completed = len(requests) if completed is None else completed
    return Table(
        study,
        [
            (run, outcome_of(study, run) if k < completed else None)
            for k, run in enumerate(requests)
        ],
        begun,
    )


def write_store(path: Path, study: StudyFields) -> None:
    """Write the same to a file like the process that runs a study."""
    requests = asked_of(study)
    with Store(path, writing=True) as store:
        store.begin({"study": dump_study(study), "scene": "", "code": code_hash()})
        store.add_requests(requests)
        store.add_outcomes(outcome_of(study, run) for run in requests)
