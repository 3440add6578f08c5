"""The queue of a session: order, merged edits, and a delay that every command except an edit ends."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from snakestudio.session.session import Commands


def drain(commands: Commands) -> None:
    while True:
        try:
            commands.get(0.0)()
        except queue.Empty:
            return


def test_consecutive_edits_are_merged_in_order() -> None:
    commands = Commands()
    done = []
    numbers = [commands.put_edit(lambda n, x=x: done.append((x, n))) for x in "abc"]
    commands.put(lambda: done.append("play"))
    numbers.append(commands.put_edit(lambda n: done.append(("d", n))))
    assert numbers == [1, 2, 3, 4]
    drain(commands)
    assert done == [("c", 3), "play", ("d", 4)]
    with pytest.raises(queue.Empty):
        commands.get(0.01)


def test_edits_wait_during_the_delay_and_a_command_ends_it() -> None:
    commands = Commands()
    began = time.perf_counter()
    commands.put_edit(lambda n: None)
    commands.rest(0.05)
    assert time.perf_counter() - began >= 0.05, "an edit does not wake it"
    waker = threading.Timer(0.02, lambda: commands.put(lambda: None))
    waker.start()
    began = time.perf_counter()
    commands.rest(20.0)
    assert time.perf_counter() - began < 10.0
    waker.join()
    drain(commands)
    began = time.perf_counter()
    commands.rest(0.05)
    assert time.perf_counter() - began >= 0.05, "what was carried out is no longer urgent"
