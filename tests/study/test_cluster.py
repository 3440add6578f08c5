"""A lab's cluster as the page about it sets it up: found by the scheduler's file, and spoken to in private by TLS.

The certificates beside this file were made with the commands of docs/tutorials/cluster.md, for a hundred
years.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from distributed.comm import CommClosedError

from snakestudio.cli import main
from snakestudio.cli.study_options import scheduler_of
from snakestudio.errors import StudyError
from snakestudio.paths import own_program
from snakestudio.study.cluster import Answer, Cluster, Tls, is_page
from snakestudio.study.running import results_of
from tests.study.lab import joined, runs_of, scheduler
from tests.wording import naming

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
    server = [
        "--protocol",
        "tls",
        *(option.replace("--tls-ca=", "--tls-ca-file=") for option in TLS),
    ]
    with scheduler(file, *server) as (address, _), joined("--scheduler", address, *TLS):
        assert address.startswith("tls://")
        assert main(["study", "run", str(study_file), "--scheduler", address, *TLS]) == 0
        assert results_of(study_file)["runs"].tolist() == [1] * 6
        stranger = Tls(
            CERTIFICATES / "ca.pem", CERTIFICATES / "stranger.pem", CERTIFICATES / "stranger.key"
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("snakestudio.study.cluster._CONNECT_S", 2.0)
            with pytest.raises(StudyError, match=r"scheduler.*responds"):
                Cluster(scheduler=address, tls=stranger)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "such file"),
        ("{", "--scheduler-file"),
        ("[1]", "scheduler"),
    ],
)
def test_a_file_that_names_no_scheduler_is_said(
    text: str | None,
    said: str,
    study_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "scheduler.json"
    if text is not None:
        file.write_text(text)
    assert main(["study", "run", str(study_file), "--scheduler-file", str(file)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "dask scheduler --scheduler-file" in error
    assert len(error.splitlines()) == 1


def test_a_worker_waits_until_the_file_is_written_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Sched')
    options = argparse.Namespace(scheduler=None, scheduler_file=str(file))
    later = threading.Timer(
        0.5, lambda: file.write_text('{"type": "Scheduler", "address": "tcp://host:8786"}')
    )
    later.start()
    assert scheduler_of(options, patience_s=60.0) == "tcp://host:8786"
    later.join()


def test_certificates_are_asked_for_together(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", str(study_file), "--scheduler", "tls://127.0.0.1:9", TLS[0]]) == 2
    assert (
        "--tls-cert is missing. Give --tls-ca, --tls-cert and --tls-key together"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("address", "tls", "said"),
    [
        *(
            (text, [], naming("scheduler"))
            for text in (
                "",
                "nonsense",
                "tcp://127.0.0.1",
                "tcp://127.0.0.1:99999",
                "tcp://a:b",
                "gopher://a:1",
            )
        ),
        ("inproc://192.0.2.1/1/1", [], "inproc://"),
        ("tls://127.0.0.1:9", [], "certificate files"),
        ("tcp://127.0.0.1:9", TLS, "tls://host:8786"),
        (
            "tls://127.0.0.1:9",
            [f"--tls-{what}={Path(__file__)}" for what in _FILES],
            "certificates",
        ),
    ],
)
def test_what_can_be_no_scheduler_is_said_before_anybody_waits_for_it(
    address: str, tls: list[str], said: str, study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["run", str(study_file)], ["worker"]):
        assert main(["study", *command, "--scheduler", address, *tls]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line


def test_a_scheduler_that_goes_is_said_in_one_sentence_and_nothing_is_lost(
    study_file: Path, tmp_path: Path
) -> None:
    study_file.write_text(study_file.read_text().replace("steps = 3", "steps = 5000"))
    with contextlib.ExitStack() as end:
        address, _ = end.enter_context(scheduler(tmp_path / "scheduler.json"))
        command = [*own_program(), "study", "run", str(study_file), "--scheduler", address]
        with (
            joined("--scheduler", address),
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run,
        ):
            while not runs_of(study_file):
                assert run.poll() is None
                time.sleep(0.1)
            end.close()
            _, said = run.communicate()
    (line,) = said.splitlines()
    assert line.startswith(f"snakestudio: {address}: ")
    assert line == naming("scheduler is lost", "Restart", "runs are kept")
    assert run.returncode == 2
    assert runs_of(study_file) > 0


def test_a_result_is_fetched_again_where_the_way_to_the_scheduler_broke(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Cluster(1) as cluster:
        gather = cluster.client.gather
        broken = list[bool]()

        async def breaking(*given: Any, **options: Any) -> Any:
            if not broken:
                broken.append(True)
                raise CommClosedError("Stream is closed")
            return await gather(*given, **options)

        monkeypatch.setattr(cluster.client, "gather", breaking)
        ticket = cluster.submit(len, "four")
        while not (found := cluster.answers(1.0)):
            pass
    assert broken
    assert found == [Answer(ticket, 4)]


def test_what_is_under_way_at_the_end_complains_of_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Cluster(1) as cluster:
        for _ in range(3):
            cluster.submit(time.sleep, 600.0)
        while not any(worker.busy for worker in cluster.workers()):
            time.sleep(0.05)
    gc.collect()  # a task whose failure nobody looked at says so when it goes
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(
    ("status", "said", "there"),
    [
        (200, "<!DOCTYPE html><html lang='en'><head>", True),
        (200, "<p>Dask needs bokeh>=3.1.0 for the dashboard.</p>", False),
        (404, "<html><title>404: Not Found</title></html>", False),
    ],
    ids=["drawn", "without_bokeh", "with_no_dashboard"],
)
def test_a_page_of_dasks_own_is_named_only_where_it_is(status: int, said: str, there: bool) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, format: str, *given: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        link = f"http://127.0.0.1:{server.server_port}/status"
        asked = threading.Thread(target=server.handle_request)
        asked.start()
        assert is_page(link) is there
        asked.join()
    assert not is_page(link), "nobody listens any more"


def test_a_scheduler_without_a_page_has_none_named(tmp_path: Path) -> None:
    with (
        scheduler(tmp_path / "scheduler.json") as (address, _),
        Cluster(scheduler=address) as cluster,
    ):
        assert cluster.client.dashboard_link, "it names one although it was told to have none"
        assert cluster.dashboard == ""
