"""Hypothesis strategies of scenes that are valid, and as odd as valid scenes may be."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict

__all__ = ["scene_trees", "scenes"]


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=40)

cylinders = st.fixed_dictionaries(
    {"kind": st.just("cylinder"), "x_m": numbers(-5, 5), "y_m": numbers(-5, 5)},
    optional={"radius_m": numbers(1e-3, 1), "height_m": numbers(1e-3, 2), "name": texts},
)
placed: dict[str, Any] = {
    "x_m": numbers(-5, 5),
    "y_m": numbers(-5, 5),
    "vx_m_s": numbers(-2, 2),
    "omega_deg_s": numbers(-90, 90),
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
    if kind == "link_angles":
        start["link_angles_deg"] = draw(st.lists(numbers(-180, 180), min_size=n, max_size=n))
    return {"kind": kind, **start}


@st.composite
def scene_trees(draw: st.DrawFn) -> dict[str, Any]:
    """Scenes as nested plain values."""
    n = draw(st.integers(2, 14))
    gait = st.fixed_dictionaries(
        {"kind": st.just("lateral_undulation")},
        optional={
            "amplitude_deg": numbers(0, 60),
            "frequency_deg_s": numbers(-200, 200),
            "phase_shift_deg": numbers(-120, 120),
            "offset_deg": numbers(-20, 20),
        },
    )
    ground = st.fixed_dictionaries(
        {},
        optional={
            "mu_along": st.one_of(st.just(0), numbers(0, 2)),
            "mu_across": st.one_of(st.just(0.0), numbers(0, 2)),
            "slope_deg": numbers(0, 40),
            "downhill_deg": numbers(-180, 180),
        },
    )
    robot = st.fixed_dictionaries(
        {"n_links": st.just(n)},
        optional={
            "name": texts,
            "mass_kg": numbers(0.01, 10),
            "joint_limit_deg": numbers(1, 180),
            "head": st.sampled_from(["first", "last"]),
        },
    )
    return draw(
        st.fixed_dictionaries(
            {"format": st.just(1), "robot": robot, "start": starts(n)},
            optional={
                "title": texts,
                "description": texts,
                "ground": ground,
                "gait": gait,
                "obstacles": st.lists(cylinders, max_size=5),
                "joint_controller": st.fixed_dictionaries(
                    {}, optional={"kp_nm_per_rad": numbers(0, 1000), "kd_nms_per_rad": numbers(0, 5)}
                ),
            },
        )
    )


def scenes() -> st.SearchStrategy[Scene]:
    """Valid scenes."""
    return scene_trees().map(scene_from_dict)
