"""A spatial chain that follows a strain law has the shape of the body with that law."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.control.controllers.strain_follower import StrainFollower
from snakestudio.model.edits import with_values
from snakestudio.model.robot.beam_shape import shape
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene

COUNTS = (32, 64, 128)


@pytest.mark.parametrize(
    ("k_y", "k_z", "order"),
    [("3*sin(4*X)", "0", 2.0), ("0", "4*cos(3*X)", 2.0), ("2 + 2*sin(5*X)", "2*cos(6*X)", 1.0)],
    ids=["pitch", "yaw", "both"],
)
def test_chain_in_space_has_the_shape_of_the_body(k_y: str, k_z: str, order: float) -> None:
    """The tail of P1's cardan chain against P5 (6); a wrong sign of the pitch would give a large error.

    A cardan joint turns first about one axis and then about the other. Compared with the body,
    which bends about both simultaneously, this twists the chain by h^2 K_Y K_Z / 2 per joint.
    Bending about both axes is of order 1, about one axis of order 2.
    """
    off = []
    for n in COUNTS:
        scene = with_values(
            Scene(),
            {
                "model.kind": "spatial_nonsmooth",
                "controller.kind": "strain_follower",
                "robot.n_links": n,
                "robot.link_length_m": 1.0 / n,
                "strain": {"kind": "formulas", "k_y_per_m": k_y, "k_z_per_m": k_z},
            },
        )
        angle = StrainFollower(scene).reference(np.zeros(1), None).angle[0]
        centre, turn = chain(np.eye(3), angle, scene.robot, scene.body.axes)
        points = np.linspace(0.0, 1.0, 2 * 8 * n + 1)
        frame, position = shape(
            StrainLaw(scene.strain, scene.beam).at(np.zeros(1), points).strain[0], 1.0
        )
        # the middles of the first and the last link
        first = 8
        last = len(points) - 9
        body = frame[first].T @ (position[last] - position[first])
        links = turn[0].T @ (centre[-1] - centre[0])
        off.append(float(np.linalg.norm(links - body)))
    assert -np.polyfit(np.log(COUNTS), np.log(off), 1)[0] == pytest.approx(order, abs=0.25)
    assert off[-1] < (2e-3 if order == 2.0 else 2e-2)
