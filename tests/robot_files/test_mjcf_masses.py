"""Masses and inertias of MJCF files compared with MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.model.rotations import matrices
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.read import read_robot
from snakestudio.robot_files.solids import shell_moments, surface
from tests.robot_files.mjcf_files import MASSES


@pytest.mark.parametrize("name", list(MASSES))
def test_masses_are_those_of_mujoco(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file
    path = tmp_path / "robot.xml"
    path.write_text(MASSES[name])
    model = mujoco.MjModel.from_xml_path(str(path))
    bodies = read_robot(path).bodies
    assert [body.name for body in bodies] == ["b1", "b2", "b3", "b4"]
    for body in bodies:
        compiled = model.body(body.name)
        own = body.inertial
        assert own is not None
        turn = matrices(compiled.iquat[None])[0]
        inertia = turn @ np.diag(compiled.inertia) @ turn.T
        # Meshes of MuJoCo have single precision.
        np.testing.assert_allclose(own.mass, compiled.mass[0], rtol=1e-6)
        np.testing.assert_allclose(own.centre, compiled.ipos, atol=1e-7)
        np.testing.assert_allclose(own.inertia, inertia, rtol=1e-5, atol=1e-6 * inertia.max())
    imported = load_robot(path)
    np.testing.assert_allclose(
        sum(link.mass for link in imported.links), model.body_mass.sum(), rtol=1e-6
    )


def test_shell_of_an_ellipsoid_is_near_that_of_mujoco() -> None:
    # MuJoCo 4.0 approximates it: 0.4897193 m^2 and these moments for 1 kg.
    size = (0.1, 0.2, 0.3)
    assert surface("ellipsoid", size) == pytest.approx(0.4897193, rel=0.003)
    np.testing.assert_allclose(
        shell_moments("ellipsoid", size).diagonal(),
        [0.03690925, 0.02872741, 0.01654556],
        rtol=0.02,
    )
