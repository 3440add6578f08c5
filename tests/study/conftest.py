"""Short studies for tests, of a scene whose engine is compiled on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.study.cluster import Cluster
from snakestudio.study.running import Workers
from tests.waiting import wait_until

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
def cluster_workers() -> Iterator[Workers]:
    """A running cluster of one worker, for tests that do not depend on its workers.

    Its scheduler runs in this process, which starts faster than another one. It does not outlive
    its module, because an idle worker takes some processor time.
    """
    with Cluster(1) as cluster:
        # on a busy machine it takes longer to start than a study waits for it
        wait_until(lambda: len(cluster.workers()) == 1)
        yield Workers(scheduler=cluster.address)


@pytest.fixture(scope="module")
def empty_cluster() -> Iterator[Cluster]:
    """A cluster without workers, whose scheduler runs in this process."""
    with Cluster(0) as cluster:
        yield cluster


@pytest.fixture
def scheduler(empty_cluster: Cluster) -> Iterator[str]:
    """Address of a scheduler that any worker can join; those of the last test have left it."""
    yield empty_cluster.address
    wait_until(lambda: not empty_cluster.workers())
