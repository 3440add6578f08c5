"""Whatever a file holds: a sentence and exit 2, or a success; never a traceback, a hang or a gigabyte."""

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
    """What tries the files; it read a sound one of each kind before."""
    with Server(tmp_path_factory.mktemp("hostile")) as made:
        yield made


def attacked(server: Server, name: str, heavy: bool) -> dict[str, str]:
    """What went wrong with the files made to hurt, by what they are."""
    kind = KINDS[name]
    names = [attack for attack, _ in kinds.attacks(kind) if (attack in HEAVY) == heavy]
    found = {attack: server.attack(kind, attack).complaint for attack in names}
    return {attack: complaint for attack, complaint in found.items() if complaint}


def damaged(server: Server, name: str, seeds: range) -> dict[int, str]:
    """What went wrong with sound files that were damaged at random, by the seed."""
    found = {seed: server.mutant(KINDS[name], seed).complaint for seed in seeds}
    return {seed: complaint for seed, complaint in found.items() if complaint}


@pytest.mark.parametrize("name", KINDS)
def test_files_made_to_hurt_are_met_with_a_sentence(server: Server, name: str) -> None:
    assert attacked(server, name, heavy=False) == {}
    assert damaged(server, name, range(MUTANTS)) == {}


def test_expressions_made_to_hurt_are_met_with_a_sentence(server: Server) -> None:
    run = str(server.materials / "run.mcap")
    found = {
        text: server.ask({"call": "tests.hostile.calls:signal", "args": [run, text]})
        for text in SIGNALS
    }
    assert {text: answer.complaint for text, answer in found.items() if answer.complaint} == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_large_files_made_to_hurt_are_met_with_a_sentence(server: Server, name: str) -> None:
    assert attacked(server, name, heavy=True) == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
def test_thousands_of_damaged_files_are_met_with_a_sentence(server: Server, name: str) -> None:
    assert damaged(server, name, range(20_000 if name == "scene" else 5_000)) == {}


def continued(server: Server, name: str, seeds: range) -> dict[int, str]:
    """What went wrong with runs that were gone on with from states forged at random, by the seed."""
    call = {"call": "tests.hostile.forged:continue_forged"}
    assert server.ask({**call, "args": [name, 0], "here": True}).code == 0
    found = {seed: server.ask({**call, "args": [name, seed]}).complaint for seed in seeds}
    return {seed: complaint for seed, complaint in found.items() if complaint}


@pytest.mark.parametrize("name", SCENES)
def test_runs_are_gone_on_with_from_no_forged_state(server: Server, name: str) -> None:
    assert continued(server, name, range(1, 1 + 10 * MUTANTS)) == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", SCENES)
def test_runs_are_gone_on_with_from_no_state_of_thousands_that_are_forged(
    server: Server, name: str
) -> None:
    assert continued(server, name, range(1, 5001)) == {}
