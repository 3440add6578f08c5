"""Small MJCF files for comparisons with MuJoCo, written as text; each of them has a chain of four links."""

from __future__ import annotations

FLOOR = '<geom name="floor" type="plane" size="5 5 0.1"/>'
CAPSULE = '<geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.02"/>'


def chain(
    geoms: str = CAPSULE,
    joint: str = "",
    head: str = "",
    tail: str = "",
    base: str = "<freejoint/>",
    inertial: str = "",
    floor: str = FLOOR,
    pos: str = "0.1 0 0",
    body: str = "",
) -> str:
    """Four bodies b1 to b4 with hinges j1 to j3.

    Parameters
    ----------
    geoms, joint, base, inertial, body
        Geoms of each body, attributes of each hinge, joints of the first body, <inertial> and attributes of each body.
    head, tail
        Elements before and after the bodies.
    """
    inner = ""
    for k in (4, 3, 2, 1):
        joints = base if k == 1 else f'<joint name="j{k - 1}" axis="0 0 1" {joint}/>'
        at = "0 0 0.02" if k == 1 else pos
        inner = f'<body name="b{k}" pos="{at}" {body}>{joints}{inertial}{geoms}{inner}</body>'
    return f'<mujoco model="chain">{head}<worldbody>{floor}{inner}</worldbody>{tail}</mujoco>'


_L_SHAPE = (
    ' vertex="0 0 0 0.3 0 0 0.3 0.1 0 0.1 0.1 0 0.1 0.3 0 0 0.3 0 0 0 0.1 0.3 0 0.1 0.3 0.1 0.1 0.1 0.1 0.1'
    ' 0.1 0.3 0.1 0 0.3 0.1" face="0 2 1 6 7 8 0 3 2 6 8 9 0 4 3 6 9 10 0 5 4 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7'
    ' 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"'
)


def meshed(mesh: str, geom: str = 'type="mesh"') -> str:
    """A chain of L-shaped meshes."""
    asset = f'<asset><mesh name="m" scale="0.2 0.2 0.2" {_L_SHAPE} {mesh}/></asset>'
    return chain(f'<geom mesh="m" {geom}/>', head=asset)


DRAWN = (
    '<geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.02" mass="0.1"/>'
    '<geom type="box" pos="0.05 0 0" size="0.05 0.03 0.03" group="1" mass="8" contype="0" conaffinity="0"/>'
)
INERTIAL = '<inertial pos="0.05 0 0" mass="0.1" fullinertia="2e-5 3e-5 4e-5 1e-6 -2e-6 3e-6"/>'
THIN = '<inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-5 1e-5 1e-4"/>'

MASSES = {
    "capsules": chain(),
    "density": chain('<geom type="box" size="0.05 0.02 0.01" density="700"/>'),
    "mass": chain(
        '<geom type="cylinder" size="0.02 0.05" mass="0.3" density="700" euler="0 90 0"/>'
    ),
    "no mass": chain(CAPSULE + '<geom size="0.03" mass="0"/>'),
    "groups": chain(DRAWN, head='<compiler inertiagrouprange="0 0"/>'),
    "all groups": chain(DRAWN),
    "last groups": chain(DRAWN, head='<compiler inertiagrouprange="1 5"/>'),
    "inertial": chain(inertial=INERTIAL),
    "from geometry": chain(inertial=INERTIAL, head='<compiler inertiafromgeom="true"/>'),
    "nothing in groups": chain(
        inertial=INERTIAL, head='<compiler inertiafromgeom="true" inertiagrouprange="3 3"/>'
    ),
    "not from geometry": chain(
        head='<compiler inertiafromgeom="false" boundmass="0.5" boundinertia="0.01"/>'
    ),
    "least mass": chain(head='<compiler boundmass="0.5"/>'),
    "least inertia": chain(inertial=INERTIAL, head='<compiler boundinertia="2.5e-5"/>'),
    "balanced": chain(inertial=THIN, head='<compiler balanceinertia="true"/>'),
    "total mass": chain(head='<compiler boundmass="0.2" settotalmass="3"/>'),
    "two compilers": chain(head='<compiler boundmass="0.5"/><compiler boundmass="0.7"/>'),
    **{
        f"shell {kind}": chain(
            f'<geom type="{kind}" size="0.02 0.03 0.04" shellinertia="true" density="5"/>'
        )
        for kind in ("sphere", "capsule", "cylinder", "box")
    },
    "shell class": chain(
        '<geom size="0.03"/>',
        head='<default><geom shellinertia="true" mass="0.2"/></default>',
    ),
    "shell with mass": chain(
        '<geom type="capsule" size="0.02 0.03" shellinertia="true" mass="0.2"/>'
    ),
    **{
        f"mesh {method}": meshed(f'inertia="{method}"')
        for method in ("legacy", "exact", "convex", "shell")
    },
    "mesh": meshed(""),
    "mesh with mass": meshed(
        'inertia="exact"', 'type="mesh" mass="0.3" pos="0.1 0 0" euler="0 40 30"'
    ),
    "mesh with reference": meshed('refpos="0.1 0.2 0.3" refquat="1 0.5 0 0"'),
    "mirrored mesh": meshed('inertia="exact"').replace("0.2 0.2 0.2", "-0.2 0.2 0.1"),
    "mesh of a class": meshed("").replace(
        "<asset>", '<default><mesh inertia="convex"/></default><asset>'
    ),
    "hull": meshed("").replace(_L_SHAPE[_L_SHAPE.index(" face") :], ""),
    **{
        f"fitted {kind}": meshed("", f'type="{kind}" fitscale="0.8"')
        for kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid")
    },
    "frames": chain(
        '<frame pos="0.05 0 0" euler="0 90 0"><geom type="capsule" size="0.02 0.03"/>'
        '<frame quat="1 0 0 1"><geom type="box" size="0.01 0.02 0.03" pos="0.01 0 0"/></frame></frame>'
    ),
    "inertial in a frame": chain(
        inertial=f'<frame pos="0 0.01 0" axisangle="0 0 1 30">{INERTIAL}</frame>'
    ),
}
