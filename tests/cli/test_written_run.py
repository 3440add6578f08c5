"""Files of a run: one that cannot be written does not affect the others."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import h5py
import numpy as np
import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.cli.exports import requested, write_run
from snakestudio.cli.outputs import Outputs
from snakestudio.engines.planar_nonsmooth.problem_file import problem_from_arrays
from snakestudio.errors import ExportError
from snakestudio.paths import runs_dir, scenes_dir

MAIN = scenes_dir() / "obstacle_aided.toml"


def options_in(folder: Path) -> tuple[Namespace, Outputs]:
    options = Namespace(
        mcap=folder / "run.mcap",
        csv=folder / "run.csv",
        hdf5=folder / "run.h5",
        to=[],
        force=False,
    )
    return options, Outputs(options, (), options.mcap, options.csv, options.hdf5)


def test_unwritable_file_does_not_affect_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = api.simulate(MAIN, duration=0.1)
    run.trouble = "run.mcap: the disk is full."
    options, outputs = options_in(tmp_path)
    options.csv.mkdir()
    with pytest.raises(ExportError) as caught:
        write_run(outputs, options, run, requested(options))
    first, second = str(caught.value).splitlines()
    assert first == run.trouble
    assert "run.csv" in second
    assert options.hdf5.is_file()
    assert capsys.readouterr().out == f"wrote {options.hdf5}: {len(run.recording)} rows\n"


@pytest.mark.parametrize("name", ["problem.hdf5", "problem.npz"])
def test_contact_problem_of_a_step_is_written_on_request(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / name
    assert main(["run", str(MAIN), "--duration", "0.1", "--contact-problem", str(path)]) == 0
    assert (
        f"wrote {path}: contact problem of the step that ends at 0.1 s" in capsys.readouterr().out
    )
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            problem, _, _ = problem_from_arrays(arrays)
        assert len(problem.cos) == 11
    else:
        with h5py.File(path) as file:
            assert (
                file["fclib_global/info/title"][()]
                .decode()
                .endswith("planar_nonsmooth, step 400, t = 0.1 s")
            )


def test_model_without_contact_problem_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = scenes_dir() / "path_following.toml"
    assert main(["run", str(scene), "--contact-problem", str(tmp_path / "p.hdf5")]) == 2
    assert "Choose planar_nonsmooth or spatial_nonsmooth" in capsys.readouterr().err
    assert main(["run", str(MAIN), "--contact-problem", str(tmp_path / "p.txt")]) == 2
    assert "ends in .hdf5" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_remedy_of_a_stopped_run_helps(capsys: pytest.CaptureFixture[str]) -> None:
    """With too few iterations a step fails; with the number of the message the run continues."""
    values = ["--set", "solver.max_iterations=1", "--duration", "0.5"]
    assert main(["run", str(MAIN), *values]) == 3
    error = capsys.readouterr().err
    assert "Increase solver.max_iterations from 1 to 2000" in error
    assert main(["run", str(MAIN), "--set", "solver.max_iterations=2000", "--duration", "0.5"]) == 0


def test_run_without_writable_file_is_saved_in_runs(tmp_path: Path) -> None:
    run = api.simulate(MAIN, duration=0.1)
    options, outputs = options_in(tmp_path)
    options.mcap = options.hdf5 = None
    options.csv.mkdir()
    with pytest.raises(ExportError) as caught:
        write_run(outputs, options, run, requested(options))
    (saved,) = runs_dir().glob("*.mcap")
    assert str(saved) in str(caught.value).splitlines()[1]
    loaded = api.load_run(saved)
    assert (loaded["link_6_x_m"] == run["link_6_x_m"]).all()
    loaded.close()


def test_file_written_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    run = api.simulate(MAIN, duration=0.1)
    options, outputs = options_in(tmp_path)
    options.csv.write_text("another run")
    with pytest.raises(ExportError, match=r"Another program wrote.*run-2\.csv"):
        write_run(outputs, options, run, requested(options))
    assert options.csv.read_text() == "another run"
    assert (tmp_path / "run-2.csv").read_text().startswith("# SnakeStudio")
    assert options.hdf5.is_file()
    assert options.mcap.is_file()


def test_removed_run_file_is_restored_and_reported(tmp_path: Path) -> None:
    options, outputs = options_in(tmp_path)
    options.csv = options.hdf5 = None
    scene, base_dir, _ = api.prepare(MAIN, 2.0)
    deleted: list[float] = []

    def delete_it(fraction: float) -> bool:
        if options.mcap.exists() and not deleted:
            options.mcap.unlink()
            deleted.append(fraction)
        return True

    def wait_for_it(recording: object) -> None:
        while not options.mcap.exists() and not deleted:  # the thread of the recording creates it
            pass
        delete_it(1.0)

    run = api.simulate_scene(
        scene, base_dir, progress=delete_it, path=options.mcap, ended=wait_for_it
    )
    assert deleted
    with pytest.raises(ExportError, match=r"deleted.*replaced"):
        write_run(outputs, options, run, requested(options))
    restored = api.load_run(options.mcap)
    assert (restored["link_6_x_m"] == run["link_6_x_m"]).all()
    restored.close()
