"""A lab's cluster as its page sets it up: found by the scheduler's file, with communication encrypted by TLS.

The certificates next to this file were made with the commands of docs/tutorials/cluster.md, for a
hundred years.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

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


def test_worker_and_study_read_the_scheduler_file(study_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    # The worker starts first, as in a batch system: it waits for the file.
    where = "--scheduler-file", str(file)
    with joined(*where), scheduler(file):
        assert main(["study", "run", str(study_file), "--scheduler-file", str(file)]) == 0
    assert results_of(study_file)["runs"].tolist() == [1] * 6


def test_cluster_communication_is_encrypted(study_file: Path, tmp_path: Path) -> None:
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
    ("text", "message"),
    [
        (None, "such file"),
        ("{", "--scheduler-file"),
        ("[1]", "scheduler"),
    ],
)
def test_file_without_scheduler_is_reported(
    text: str | None,
    message: str,
    study_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "scheduler.json"
    if text is not None:
        file.write_text(text)
    assert main(["study", "run", str(study_file), "--scheduler-file", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "dask scheduler --scheduler-file" in error
    assert len(error.splitlines()) == 1


def test_worker_waits_for_the_complete_file(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Sched')
    options = argparse.Namespace(scheduler=None, scheduler_file=str(file))
    later = threading.Timer(
        0.5, lambda: file.write_text('{"type": "Scheduler", "address": "tcp://host:8786"}')
    )
    later.start()
    assert scheduler_of(options, patience_s=60.0) == "tcp://host:8786"
    later.join()


def test_certificates_are_required_together(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", str(study_file), "--scheduler", "tls://127.0.0.1:9", TLS[0]]) == 2
    assert (
        "--tls-cert is missing. Give --tls-ca, --tls-cert and --tls-key together"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("address", "tls", "message"),
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
def test_invalid_scheduler_is_reported_before_waiting(
    address: str, tls: list[str], message: str, study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["run", str(study_file)], ["worker"]):
        assert main(["study", *command, "--scheduler", address, *tls]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


def test_lost_scheduler_is_reported_and_results_stay(study_file: Path, tmp_path: Path) -> None:
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
            _, output = run.communicate()
    (line,) = output.splitlines()
    assert line.startswith(f"snakestudio: {address}: ")
    assert line == naming("scheduler is lost", "Restart", "runs are kept")
    assert run.returncode == 2
    assert runs_of(study_file) > 0


def test_result_is_fetched_again_after_lost_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from distributed.comm import CommClosedError

    with Cluster(1) as cluster:
        gather = cluster.client.gather
        broken = list[bool]()

        async def breaking(*arguments: Any, **options: Any) -> Any:
            if not broken:
                broken.append(True)
                raise CommClosedError("Stream is closed")
            return await gather(*arguments, **options)

        monkeypatch.setattr(cluster.client, "gather", breaking)
        ticket = cluster.submit(len, "four")
        while not (results := cluster.answers(1.0)):
            pass
    assert broken
    assert results == [Answer(ticket, 4)]


def test_pending_tasks_report_nothing_at_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Cluster(1) as cluster:
        for _ in range(3):
            cluster.submit(time.sleep, 600.0)
        while not any(worker.busy for worker in cluster.workers()):
            time.sleep(0.05)
    gc.collect()  # dask reports failures of tasks that no one has checked when they are collected
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(
    ("status", "message", "is_found"),
    [
        (200, "<!DOCTYPE html><html lang='en'><head>", True),
        (200, "<p>Dask needs bokeh>=3.1.0 for the dashboard.</p>", False),
        (404, "<html><title>404: Not Found</title></html>", False),
    ],
    ids=["drawn", "without_bokeh", "with_no_dashboard"],
)
def test_dask_dashboard_is_named_only_if_it_exists(
    status: int, message: str, is_found: bool
) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(message.encode())

        def log_message(self, format: str, *values: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        link = f"http://127.0.0.1:{server.server_port}/status"
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert is_page(link) is is_found
        thread.join()
    assert not is_page(link), "the server has ended"


def test_scheduler_without_dashboard_names_none(tmp_path: Path) -> None:
    with (
        scheduler(tmp_path / "scheduler.json") as (address, _),
        Cluster(scheduler=address) as cluster,
    ):
        assert cluster.client.dashboard_link, "dask names one even without a page"
        assert cluster.dashboard == ""


def test_slow_disk_and_missing_network_are_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """distributed warns about both, which depends on the load and the network of the computer."""
    from distributed.utils import get_ip, warn_on_duration

    monkeypatch.setattr(
        "distributed.core.warn_on_duration", lambda _, text: warn_on_duration("0 s", text)
    )
    monkeypatch.setattr("distributed.utils.socket", _NoNetwork())
    with Cluster(0) as cluster:
        assert cluster.address.startswith("tcp://127.0.0.1:")
        assert get_ip()


class _NoNetwork:
    """Python's `socket` on a computer without a network."""

    class socket(socket.socket):  # noqa: N801
        def connect(self, address: Any) -> None:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")

    def __getattr__(self, name: str) -> Any:
        return getattr(socket, name)
