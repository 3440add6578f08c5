"""Short studies for tests, of a scene whose engine is compiled on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.study.running import Workers
from tests.study import lab

SCENES = Path(__file__).resolve().parents[2] / "scenes"

STUDY = """\
format = 1
scene = "snake.toml"

[[vary]]
key = "gait.amplitude_deg"
low = 20.0
high = 40.0
steps = 3

[[vary]]
key = "ground.mu_across"
values = [0.2, 0.8]

[[goals]]
measure = "net_speed"
"""
"""Six runs."""


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """A study of the Lagrangian model, a tenth of a second a run, with its scene next to it."""
    scene = with_values(
        load_scene(SCENES / "lagrangian_undulation.toml"),
        {"run.duration_s": 0.5, "run.log_rate_hz": 20.0},
    )
    save_scene(scene, tmp_path / "snake.toml")
    path = tmp_path / "snake.study.toml"
    path.write_text(STUDY)
    if not registry.is_warm("planar_lagrangian"):
        registry.warm_up("planar_lagrangian", lambda fraction, doing: None)
    return path


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """A running cluster of one worker, for tests that do not depend on its workers.

    It does not outlive its module: an idle one takes a fortieth of a processor.
    """
    file = tmp_path_factory.mktemp("lab") / "scheduler.json"
    with lab.scheduler(file) as (address, _), lab.joined("--scheduler", address):
        # on a busy machine it takes longer to start than a study waits for it
        with Client(address) as client:
            client.wait_for_workers(1, timeout=lab.LONG_S)
        yield Workers(scheduler=address)
