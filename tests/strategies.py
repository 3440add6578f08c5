"""Hypothesis strategies of valid scenes, as unusual as valid scenes can be."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict

__all__ = ["continuum_scenes", "scene_trees", "scenes"]


KINDS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic")


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=40
)

cylinders = st.fixed_dictionaries(
    {"kind": st.just("cylinder"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={"radius_m": numbers(1e-3, 1), "height_m": numbers(1e-3, 2), "name": texts},
)
boxes = st.fixed_dictionaries(
    {"kind": st.just("box"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={
        "z_m": numbers(-1, 1),
        "height_m": numbers(1e-3, 2),
        "yaw_deg": numbers(-360, 360),
        "name": texts,
    },
)
stairs = st.fixed_dictionaries(
    {"kind": st.just("stairs"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={
        "steps": st.integers(1, 9),
        "rise_m": numbers(1e-3, 0.3),
        "heading_deg": numbers(-360, 360),
    },
)
ramps = st.fixed_dictionaries(
    {"kind": st.just("ramp"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={"rise_m": numbers(1e-3, 1), "landing_m": numbers(0, 2), "friction": numbers(0, 2)},
)
rubble = st.fixed_dictionaries(
    {"kind": st.just("rubble"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={
        "blocks": st.integers(1, 30),
        "seed": st.integers(0, 1000),
        "tilt_deg": numbers(0, 45),
    },
)
height_fields = st.fixed_dictionaries(
    {
        "kind": st.just("height_field"),
        "x_m": numbers(-5, 5),
        "y_m": numbers(-5, 5),
        "heights_m": st.lists(
            st.lists(numbers(-0.1, 0.2), min_size=3, max_size=3), min_size=2, max_size=4
        ),
    },
    optional={"z_m": numbers(-1, 1), "length_m": numbers(0.1, 4)},
)
obstacles = st.one_of(cylinders, boxes, stairs, ramps, rubble, height_fields)
waves: dict[str, Any] = {
    "amplitude_deg": numbers(-60, 60),
    "phase_deg": numbers(-360, 360),
    "frequency_deg_s": numbers(-200, 200),
    "phase_shift_deg": numbers(-120, 120),
    "offset_deg": numbers(-20, 20),
}
pitch_waves = {f"pitch_{name}": strategy for name, strategy in waves.items()}
gaits = st.one_of(
    st.fixed_dictionaries({"kind": st.just("lateral_undulation")}, optional=waves),
    st.fixed_dictionaries(
        {"kind": st.just("two_waves")},
        optional=waves
        | {f"pitch_{name}": strategy for name, strategy in waves.items()}
        | {"pitch_phase_deg": numbers(-180, 180)},
    ),
)
placed: dict[str, Any] = {
    "x_m": numbers(-5, 5),
    "y_m": numbers(-5, 5),
    "vx_m_s": numbers(-2, 2),
    "omega_deg_s": numbers(-90, 90),
    "z_m": numbers(0.1, 2),
    "pitch_deg": numbers(-30, 30),
    "roll_deg": numbers(-180, 180),
    "vz_m_s": numbers(-1, 1),
    "omega_x_deg_s": numbers(-90, 90),
    "omega_y_deg_s": numbers(-90, 90),
}


@st.composite
def starts(draw: st.DrawFn, n: int) -> dict[str, Any]:
    kind = draw(st.sampled_from(["straight", "gait", "joint_angles", "link_angles", "state"]))
    if kind == "state":
        start: dict[str, Any] = {
            "position_m": [[0.122 * i, 0.0, 0.0525] for i in range(n)],
            "orientation_wxyz": [[1.0, 0.0, 0.0, 0.0]] * n,
        }
        if draw(st.booleans()):
            start["velocity_m_s"] = [[draw(numbers(-1, 1)), 0.0, 0.0]] * n
    else:
        start = draw(st.fixed_dictionaries({"link": st.integers(1, n)}, optional=placed))
    if kind in ("straight", "gait", "joint_angles"):
        start["heading_deg"] = draw(numbers(-360, 360))
    if kind == "joint_angles":
        start["joint_angles_deg"] = draw(st.lists(numbers(-60, 60), min_size=n - 1, max_size=n - 1))
        if draw(st.booleans()):
            start["joint_pitch_deg"] = draw(
                st.lists(numbers(-60, 60), min_size=n - 1, max_size=n - 1)
            )
    if kind == "link_angles":
        start["link_angles_deg"] = draw(st.lists(numbers(-180, 180), min_size=n, max_size=n))
    return {"kind": kind, **start}


@st.composite
def scene_trees(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """Return scenes as nested plain values; those of the planar model have only posts as obstacles."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(2, 14))
    ground = st.fixed_dictionaries(
        {},
        optional={
            "mu_along": st.one_of(st.just(0), numbers(0, 2)),
            "mu_across": st.one_of(st.just(0.0), numbers(0, 2)),
            "mu_rolling": numbers(0, 1),
            "stribeck_rise": numbers(0, 2),
            "slope_deg": numbers(0, 40),
            "downhill_deg": numbers(-180, 180),
        },
    )
    robot = st.fixed_dictionaries(
        {"n_links": st.just(n)},
        optional={
            "name": texts,
            "mass_kg": numbers(0.01, 10),
            "axial_inertia_kg_m2": numbers(1e-4, 1e-2),
            "axis_offset_m": numbers(0, 0.05),
            "joint_limit_deg": numbers(1, 180),
            "head": st.sampled_from(["first", "last"]),
        },
    )
    return draw(
        st.fixed_dictionaries(
            {
                "format": st.just(1),
                "model": st.just({"kind": kind}),
                "robot": robot,
                "start": starts(n),
            },
            optional={
                "title": texts,
                "description": texts,
                "ground": ground,
                "gait": gaits,
                "obstacles": st.lists(
                    cylinders if kind in ("planar_nonsmooth", "planar_nonholonomic") else obstacles,
                    max_size=5,
                ),
                "control": st.fixed_dictionaries(
                    {},
                    optional={
                        "lead_in": st.booleans(),
                        "soft_start_deg": numbers(0, 10),
                        "set_point_period_s": st.sampled_from([0.0, 0.01, 0.1]),
                        "start_delay_s": numbers(0, 1),
                    },
                ),
                "actuator": st.fixed_dictionaries(
                    {}, optional={"free_play_deg": numbers(0, 5), "max_torque_nm": numbers(0.1, 50)}
                ),
                "joint_controller": st.fixed_dictionaries(
                    {},
                    optional={"kp_nm_per_rad": numbers(0, 1000), "kd_nms_per_rad": numbers(0, 5)},
                ),
            },
        )
    )


def scenes(*kinds: str) -> st.SearchStrategy[Scene]:
    """Return valid scenes, of all models by default."""
    return scene_trees(kinds or KINDS).map(scene_from_dict)


strains = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just("serpentine")},
        optional={
            "curvature_per_m": numbers(-30, 30),
            "wavelength_m": numbers(0.05, 5),
            "speed_m_s": numbers(-2, 2),
            "turn_per_m": numbers(-5, 5),
            "lift_per_m": numbers(-2, 2),
            "turn_start_s": numbers(-1, 5),
            "turn_duration_s": numbers(0.05, 5),
        },
    ),
    st.fixed_dictionaries(
        {"kind": st.just("peristalsis")},
        optional={
            "stretch": numbers(0, 0.95),
            "wavelength_m": numbers(0.05, 5),
            "speed_m_s": numbers(-2, 2),
            "acceleration_m_s2": numbers(-1, 1),
        },
    ),
    st.fixed_dictionaries(
        {"kind": st.just("inching")},
        optional={"angle_rad": numbers(-3, 3), "frequency_hz": numbers(0.01, 5)},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("formulas")},
        optional={
            "gamma_x": st.sampled_from(
                ["1", "1 + 0.2*sin(5*X)*cos(3*t)", "1/(X - 0.3)", "0", "exp(-3*X)"]
            ),
            "k_x_per_m": st.sampled_from(["0", "2*X*t"]),
            "k_y_per_m": st.sampled_from(["0", "3*cos(4*X)", "log(X - 1)"]),
            "k_z_per_m": st.sampled_from(
                ["0", "8*sin(7*X + 4*t)", "5", "tan(9*X)", "8*sin(7*s)", "bump(2*X - 1*t)*6"]
            ),
            "speed_m_s": st.sampled_from(["", "-0.3", "-0.3 + 0.1*t", "sin(3*t)/2"]),
        },
    ),
)
supports = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just("rings")},
        optional={
            "count": st.integers(1, 12),
            "fixed": st.sampled_from(["space", "body"]),
            "side": st.sampled_from(["both", "left", "right", "alternating", "inner", "outer"]),
        },
    ),
    st.fixed_dictionaries(
        {"kind": st.just("wave_anchors")},
        optional={"reading": st.sampled_from(["sweeping", "material"])},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("end_anchors")}, optional={"period_s": numbers(0.05, 5)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("anchors"),
            "anchors": st.lists(
                st.fixed_dictionaries(
                    {
                        "at_m": st.sampled_from(
                            ["0", "l", "0.3", "0.1*t", "l/2 + 0.1*sin(2*t)", "-1"]
                        )
                    },
                    optional={
                        "from_s": numbers(0, 1),
                        "velocity_m_s": st.just(["0.1*sin(5*t)", "0", "0"]),
                    },
                ),
                min_size=1,
                max_size=3,
            ),
        }
    ),
    st.fixed_dictionaries(
        {"kind": st.just("friction")},
        optional={
            "viscous_along_ns_per_m2": numbers(0, 100),
            "viscous_across_ns_per_m2": numbers(0, 1000),
        },
    ),
)
continuum_trees = st.fixed_dictionaries(
    {
        "format": st.just(1),
        "model": st.just({"kind": "continuum_beam"}),
        "strain": strains,
        "support": supports,
        "beam": st.fixed_dictionaries(
            {"group": st.sampled_from(["R", "SE2", "SE3"])},
            optional={
                "length_m": numbers(0.05, 5),
                "radius_m": numbers(1e-3, 0.1),
                "density_kg_m3": numbers(10, 1e4),
                "sections": st.integers(2, 60),
            },
        ),
        "start": st.fixed_dictionaries(
            {"kind": st.sampled_from(["straight", "gait"])},
            optional={"heading_deg": numbers(-360, 360), **placed},
        ),
        "solver": st.fixed_dictionaries(
            {"step_s": st.sampled_from([1e-3, 0.01])},
            optional={"error_tolerance": numbers(1e-7, 1e-3)},
        ),
    },
    optional={
        "title": texts,
        "ground": st.fixed_dictionaries(
            {}, optional={"slope_deg": numbers(0, 90), "mu_across": numbers(0, 2)}
        ),
        "run": st.fixed_dictionaries({"duration_s": numbers(0.1, 10)}),
    },
)
continuum_scenes = continuum_trees.map(scene_from_dict)
"""Valid scenes with a continuous body, many of which cannot run: laws with poles, contacts that slip."""
