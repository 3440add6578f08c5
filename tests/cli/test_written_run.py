"""The files that a run is written to: one that cannot be written costs none of the others."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli.shared import write_run
from snakestudio.errors import ExportError
from snakestudio.paths import scenes_dir


def test_what_cannot_be_written_costs_none_of_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = api.simulate(scenes_dir() / "obstacle_aided.toml", duration=0.1)
    run.trouble = "run.mcap: the disk is full."
    options = Namespace(mcap=tmp_path / "run.mcap", csv=tmp_path / "run.csv", hdf5=tmp_path / "run.h5")
    options.csv.mkdir()
    with pytest.raises(ExportError) as caught:
        write_run(options, run)
    first, second = str(caught.value).splitlines()
    assert first == run.trouble
    assert "run.csv: this is a folder" in second
    assert options.hdf5.is_file()
    assert capsys.readouterr().out == f"wrote {options.hdf5}: {len(run.recording)} rows\n"
