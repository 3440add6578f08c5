"""Any contents of a file give a message and exit 2, or a success; never a traceback, a hang or a gigabyte."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile import kinds
from tests.hostile.forged import SCENES
from tests.hostile.kinds import HEAVY, KINDS, SIGNALS
from tests.hostile.server import Server

MUTANTS = 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Server that runs the cases; it has read a valid file of each kind."""
    with Server(tmp_path_factory.mktemp("hostile")) as started:
        yield started


def attacked(server: Server, name: str, heavy: bool) -> dict[str, str]:
    """Complaints about attacks, by their names."""
    kind = KINDS[name]
    names = [attack for attack, _ in kinds.attacks(kind) if (attack in HEAVY) == heavy]
    complaints = {attack: server.attack(kind, attack).complaint for attack in names}
    return {attack: complaint for attack, complaint in complaints.items() if complaint}


def damaged(server: Server, name: str, seeds: range) -> dict[int, str]:
    """Complaints about randomly damaged files, by the seed."""
    complaints = {seed: server.mutant(KINDS[name], seed).complaint for seed in seeds}
    return {seed: complaint for seed, complaint in complaints.items() if complaint}


@pytest.mark.parametrize("name", KINDS)
def test_malicious_files_are_reported(server: Server, name: str) -> None:
    assert attacked(server, name, heavy=False) == {}
    assert damaged(server, name, range(MUTANTS)) == {}


def test_malicious_expressions_are_reported(server: Server) -> None:
    run = str(server.materials / "run.mcap")
    complaints = {
        text: server.ask({"call": "tests.hostile.calls:signal", "args": [run, text]})
        for text in SIGNALS
    }
    assert {text: answer.complaint for text, answer in complaints.items() if answer.complaint} == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_large_malicious_files_are_reported(server: Server, name: str) -> None:
    assert attacked(server, name, heavy=True) == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_thousands_of_damaged_files_are_reported(server: Server, name: str) -> None:
    assert damaged(server, name, range(20_000 if name == "scene" else 5_000)) == {}


def continued(server: Server, name: str, seeds: range) -> dict[int, str]:
    """Complaints about runs continued from randomly forged states, by the seed."""
    call = {"call": "tests.hostile.forged:continue_forged"}
    assert server.ask({**call, "args": [name, 0], "here": True}).code == 0
    complaints = {seed: server.ask({**call, "args": [name, seed]}).complaint for seed in seeds}
    return {seed: complaint for seed, complaint in complaints.items() if complaint}


@pytest.mark.parametrize("name", SCENES)
def test_forged_states_are_refused(server: Server, name: str) -> None:
    assert continued(server, name, range(1, 1 + 3 * MUTANTS)) == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", SCENES)
def test_thousands_of_forged_states_are_refused(server: Server, name: str) -> None:
    assert continued(server, name, range(1, 5001)) == {}
