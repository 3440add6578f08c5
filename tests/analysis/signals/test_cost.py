"""Sign of the cost of an expression: a goal that grows with a cost is minimized by default."""

from __future__ import annotations

import pytest

from snakestudio.analysis.signals.cost import cost_sign


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("max(solver_unconverged)", 1),
        ("rms(norm(joint_*_yaw_torque_nm, joint_*_pitch_torque_nm))", 1),
        ("max(norm(link_3_obstacle_f?_n))", 1),
        ("last(work_actuator_j) - first(work_actuator_j)", 1),
        (
            "last(work_actuator_j - delay(work_actuator_j, 4.5)) / (last(com_x_m) - first(com_x_m))",
            1,
        ),
        ("(last(com_x_m) - first(com_x_m)) / last(work_actuator_j)", -1),
        ("-max(energy_kinetic_j)", -1),
        ("10 - last(work_actuator_j)", -1),
        ("mean(solver_residual < 1e-8)", -1),
        ("mean(joint_1_jammed > 0)", 1),
        ("last(com_x_m) - first(com_x_m)", 0),
        ("max(link_6_x_m)", 0),
        ("mean(contact_ground_fz_n)", 0),
        ("max(joint_1_yaw_torque_nm) / max(joint_2_yaw_torque_nm)", 0),
        ("max(", 0),
        ("", 0),
    ],
)
def test_cost_sign_follows_arithmetic(text: str, sign: int) -> None:
    assert cost_sign(text) == sign
