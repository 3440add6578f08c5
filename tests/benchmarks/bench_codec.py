"""Processor time of decoding and encoding frames: the link's process does it thousands of times a second."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from snakestudio.link.core.codec import Codec
from snakestudio.link.profile.library import shipped
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import INCOMING

RATE = 4000
"""Frames per second under high load: a bus of 1 Mbit/s with half of it feedback."""


def _seconds(work: Callable[[], object], count: int) -> float:
    """Processor time of a call, s: the least of several repetitions."""
    times = []
    for _ in range(5):
        begun = time.process_time()
        for _ in range(count):
            work()
        times.append((time.process_time() - begun) / count)
    return min(times)


def run() -> list[tuple[str, float, str, str, bool]]:
    """Share of a processor for decoding, and time of encoding set-points; cantools' own decoder for comparison."""
    rows: list[tuple[str, float, str, str, bool]] = []
    for path in shipped():
        codec = Codec(load_profile(path))
        messages = [m for m in codec.profile.messages if m.role in INCOMING]
        # The counters change in every frame, as on a bus.
        frames = [
            codec.encode(m, n, {("angle", -1): 0.3})
            for _ in range(2)
            for m in messages
            for n in codec.profile.nodes
        ]
        fraction = (
            RATE
            * _seconds(lambda c=codec, f=frames: [c.decode(each) for each in f], 20)
            / len(frames)
        )
        rows.append(
            (
                f"{path.stem}: decode {RATE} frames/s",
                100 * fraction,
                "%",
                "<= 15 of a core",
                fraction <= 0.15,
            )
        )
        dbc = [codec.loaded.database.get_message_by_name(m.message) for m in messages]
        data = [
            (d, codec.encode(m, codec.profile.nodes[0], {}).data)
            for d, m in zip(dbc, messages, strict=True)
        ]
        other = _seconds(
            lambda pairs=data: [d.decode(b, decode_choices=False) for d, b in pairs], 50
        ) / len(data)
        rows.append(
            (
                f"{path.stem}: cantools' own decoder",
                100 * other * RATE,
                "%",
                "for comparison",
                True,
            )
        )
        angle = np.zeros(codec.n_axes)
        cycle = _seconds(lambda c=codec, a=angle: c.set_points(a, a), 50)
        rows.append(
            (f"{path.stem}: a period's set-points", 1e3 * cycle, "ms", "<= 1 ms", cycle <= 1e-3)
        )
    return rows
