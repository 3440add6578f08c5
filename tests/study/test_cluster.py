"""A lab's cluster as the page about it sets it up: found by the scheduler's file, and spoken to in private by TLS.

The certificates beside this file were made with the commands of docs/cluster.md, for a hundred years.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.errors import StudyError
from snakestudio.study.cluster import Cluster, Tls
from snakestudio.study.running import results_of
from tests.study.lab import joined, scheduler

CERTIFICATES = Path(__file__).parent / "certificates"
_FILES = {"ca": "ca.pem", "cert": "cluster.pem", "key": "cluster.key"}
TLS = [f"--tls-{what}={CERTIFICATES / name}" for what, name in _FILES.items()]


def test_workers_and_study_find_the_scheduler_by_its_file(study_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    # The workers are there first, as a batch system may have it: they wait for the file.
    where = "--scheduler-file", str(file)
    with joined(*where), joined(*where), scheduler(file):
        assert main(["study", "run", str(study_file), "--scheduler-file", str(file)]) == 0
    assert results_of(study_file)["runs"].tolist() == [1] * 6


def test_a_cluster_is_spoken_to_in_private(study_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    server = ["--protocol", "tls", *(option.replace("--tls-ca=", "--tls-ca-file=") for option in TLS)]
    with scheduler(file, *server) as (address, _), joined("--scheduler", address, *TLS):
        assert address.startswith("tls://")
        assert main(["study", "run", str(study_file), "--scheduler", address, *TLS]) == 0
        assert results_of(study_file)["runs"].tolist() == [1] * 6
        stranger = Tls(CERTIFICATES / "ca.pem", CERTIFICATES / "stranger.pem", CERTIFICATES / "stranger.key")
        for tls in (None, stranger):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("snakestudio.study.cluster._CONNECT_S", 2.0)
                with pytest.raises(StudyError, match="no scheduler answers there"):
                    Cluster(scheduler=address, tls=tls)


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "there is no such file"), ("{", "--scheduler-file"), ("[1]", "does not say where a scheduler is")],
)
def test_a_file_that_names_no_scheduler_is_said(
    text: str | None, said: str, study_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scheduler.json"
    if text is not None:
        file.write_text(text)
    assert main(["study", "run", str(study_file), "--scheduler-file", str(file)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "dask scheduler --scheduler-file" in error
    assert len(error.splitlines()) == 1


def test_certificates_are_asked_for_together(study_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", str(study_file), "--scheduler", "tls://127.0.0.1:9", TLS[0]]) == 2
    assert "--tls-cert is missing: give --tls-ca, --tls-cert and --tls-key together" in capsys.readouterr().err
