"""The stop sequence without the core, for failures of the core itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.stopping import BLIND_REPEATS, REPEAT_S
from snakestudio.link.frame import Frame

_LONGEST_WAIT_S = 0.5


def stop_blindly(
    codec: Codec, send: Callable[[Frame], None], wait: Callable[[float], object] = time.sleep
) -> None:
    """Send a profile's stop sequence several times; raises nothing, even if sending fails.

    The bus is no longer read, so expectations cannot be awaited: the frames after them follow
    immediately.

    Parameters
    ----------
    send : callable
        Sends a frame to the bus; may raise.
    wait : callable
        Waits for a number of seconds.
    """
    for _ in range(BLIND_REPEATS):
        for step in codec.profile.sequences.stop:
            if step.wait_s is not None:
                wait(min(step.wait_s, _LONGEST_WAIT_S))
            with contextlib.suppress(Exception):
                for frame in codec.step_frames(step):
                    with contextlib.suppress(Exception):
                        send(frame)
        wait(REPEAT_S)
