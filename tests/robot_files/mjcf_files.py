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


def _actuators(*elements: str) -> str:
    """One element for each hinge; the last one repeats."""
    texts = [
        elements[min(k, len(elements) - 1)].replace("JOINT", f'joint="j{k + 1}"') for k in range(3)
    ]
    return f"<actuator>{''.join(texts)}</actuator>"


_LIMITS = 'range="-70 50"'

JOINTS = {
    "plain": chain(),
    "limits": chain(joint=_LIMITS),
    "radian": chain(joint='range="-1 0.5"', head='<compiler angle="radian"/>'),
    "range of zeros": chain(joint='range="0 0"'),
    "range of zeros over a class": chain(
        joint='range="0 0"', head=f"<default><joint {_LIMITS}/></default>"
    ),
    "reversed range": chain(joint='range="50 -70"'),
    "not limited": chain(joint=f'{_LIMITS} limited="false"'),
    "no autolimits": chain(
        joint=f'{_LIMITS} limited="true"', head='<compiler autolimits="false"/>'
    ),
    "limits disabled": chain(joint=_LIMITS, head='<option><flag limit="disable"/></option>'),
    "constraints disabled": chain(
        joint=_LIMITS, head='<option><flag constraint="disable"/></option>'
    ),
    "ref": chain(joint=f'{_LIMITS} ref="20" springref="30" stiffness="2"'),
    "polynomials": chain(joint='stiffness="2 0.1" damping="0.2 0.1"'),
    "polynomials of a class": chain(
        head='<default><joint stiffness="2 0.1" damping="0.2 0.1"/></default>',
        joint='damping="0.3"',
    ),
    "spring and damper": chain(joint='stiffness="2" springref="10" damping="0.2"'),
    "springdamper": chain(joint='springdamper="0.1 0.7" armature="0.001" stiffness="3"'),
    "springdamper with an armature of the actuator": chain(
        joint='springdamper="0.1 0.7"',
        tail=_actuators('<motor JOINT armature="0.002" gear="2" damping="0.1"/>'),
    ),
    "springs disabled": chain(
        joint='stiffness="2" damping="0.2"', head='<option><flag spring="disable"/></option>'
    ),
    "dampers disabled": chain(
        joint='stiffness="2" damping="0.2"', head='<option><flag damper="disable"/></option>'
    ),
    "armature and dry friction": chain(joint='armature="0.01" frictionloss="0.3"'),
    "dry friction disabled": chain(
        joint='frictionloss="0.3"', head='<option><flag frictionloss="disable"/></option>'
    ),
    "class of a body": chain(
        head='<default><default class="stiff"><joint damping="3" range="-9 9"/></default></default>',
        body='childclass="stiff"',
    ),
    "joints in frames": chain(joint=_LIMITS)
    .replace(
        '<joint name="j2" axis="0 0 1" range="-70 50"/>',
        '<frame pos="0.01 0.02 0" euler="0 90 0"><frame pos="0 0 0.01" childclass="c">'
        '<joint name="j2" axis="1 0 0" pos="0.03 0 0"/></frame></frame>',
    )
    .replace(
        "<worldbody>",
        '<default><default class="c"><joint range="-9 8"/></default></default><worldbody>',
    ),
    "free joint in a frame": chain(base='<frame pos="0 0 0.1"><freejoint/></frame>'),
    "two joints in a body": chain().replace(
        '<joint name="j2" axis="0 0 1" />',
        '<frame><joint name="j2" axis="0 0 1"/></frame><joint name="j2b" axis="0 1 0"/>',
    ),
}

MOTORS = {
    "position": chain(tail=_actuators('<position JOINT kp="20" kv="0.5"/>')),
    "default gains": chain(tail=_actuators("<position JOINT/>", "<velocity JOINT/>")),
    "damping ratio": chain(tail=_actuators('<position JOINT kp="20" dampratio="1"/>')),
    "damping ratio of a class": chain(
        head='<default><position kp="20" dampratio="0.7"/><default class="k"><position kp="5"/></default></default>',
        tail=_actuators(
            "<position JOINT/>", '<position JOINT class="k"/>', '<position JOINT kv="2"/>'
        ),
    ),
    "damping ratio over a class": chain(
        head='<default><position kp="20" kv="0.7"/></default>',
        tail=_actuators('<position JOINT dampratio="1"/>', '<position JOINT kp="3"/>'),
    ),
    "damping ratio with gear and armature": chain(
        joint='armature="0.003"',
        tail=_actuators('<position JOINT kp="20" dampratio="1" gear="3"/>'),
    ),
    "armature of an actuator": chain(
        tail=_actuators(
            '<position JOINT kp="20" dampratio="1" gear="3" armature="0.002" damping="0.1"/>'
        )
    ),
    "damping ratio of unequal links": chain(
        '<geom type="box" size="0.05 0.02 0.01" pos="0.06 0.01 0"/><geom size="0.02" mass="0.1" pos="0.1 0.02 0.03"/>',
        tail=_actuators('<position JOINT kp="20" dampratio="1"/>'),
        pos="0.1 0 0.01",
    ),
    "damping ratio of a fixed base": chain(
        base="", tail=_actuators('<position JOINT kp="20" dampratio="1"/>')
    ),
    "damping ratio of a planar base": chain(
        base='<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>',
        tail=_actuators('<position JOINT kp="20" dampratio="1"/>'),
    ),
    "time constant": chain(tail=_actuators('<position JOINT kp="20" timeconst="0.1"/>')),
    "gear": chain(tail=_actuators('<position JOINT kp="20" kv="0.5" gear="-3"/>')),
    "forces": chain(
        tail=_actuators(
            '<position JOINT forcerange="-2 2"/>',
            '<position JOINT forcerange="-2 2" forcelimited="false"/>',
            '<position JOINT forcerange="-2 2" gear="3"/>',
        )
    ),
    "forces of a class": chain(
        head='<default><motor forcerange="-2 2"/></default>',
        tail=_actuators("<position JOINT/>", '<position JOINT forcerange="0 0"/>'),
    ),
    "general servo": chain(
        tail=_actuators('<general JOINT gainprm="20" biasprm="0 -20 -0.3" biastype="affine"/>')
    ),
    "general servo with damping ratio": chain(
        tail=_actuators('<general JOINT gainprm="20" biasprm="0 -20 0.3" biastype="affine"/>')
    ),
    "general servo of a class": chain(
        head='<default><general gainprm="20" biasprm="0 -20 -0.3" biastype="affine"/></default>',
        tail=_actuators("<general JOINT/>", "<position JOINT/>", '<position JOINT kp="4"/>'),
    ),
    "position class of a general actuator": chain(
        head='<default><position kp="20" kv="1"/></default>',
        tail=_actuators("<general JOINT/>", "<velocity JOINT/>", "<intvelocity JOINT/>"),
    ),
    "integrated velocity": chain(
        tail=_actuators('<intvelocity JOINT kp="3" kv="2" actrange="-1 1"/>')
    ),
    "servo after a velocity and a general actuator": chain(
        head='<default><velocity kv="3"/><general forcerange="-2 2"/></default>',
        tail=_actuators('<intvelocity JOINT kp="9" actrange="-1 1"/>', '<position JOINT kp="9"/>'),
    ),
    "shortcuts after a general actuator": chain(
        head='<default><general gainprm="13" biasprm="0 -13 -0.2" biastype="affine"/><default class="k"><motor/>'
        "</default></default>",
        tail=_actuators('<position JOINT class="k" kv="0.3"/>', '<general JOINT class="k"/>'),
    ),
    "two shortcuts in two classes": chain(
        head='<default><position kp="20" kv="1"/><default class="k"><velocity kv="3"/></default></default>',
        tail=_actuators(
            '<position JOINT class="k"/>',
            '<velocity JOINT class="k"/>',
            '<general JOINT class="k"/>',
        ),
    ),
    "shortcuts before a general actuator": chain(
        head='<default><position kp="20" kv="1"/><velocity kv="3"/><default class="k"><general gainprm="5"/></default>'
        "</default>",
        tail=_actuators('<position JOINT class="k"/>', '<general JOINT class="k"/>'),
    ),
    "pid after a general actuator": chain(
        head='<default><general gainprm="7" biasprm="0 -7 -0.8" biastype="affine"/></default>',
        tail=_actuators('<pid JOINT kp="9"/>'),
    ),
    "pid": chain(
        tail=_actuators('<pid JOINT kp="3" ki="1" kv="2"/>', '<pid JOINT kp="3" dampratio="1"/>')
    ),
    "torques of joints": chain(
        joint='actuatorfrcrange="-3 3"',
        tail=_actuators(
            '<position JOINT forcerange="-2 2"/>', '<position JOINT forcerange="-5 5"/>'
        ),
    ),
    "torques of joints not limited": chain(
        joint='actuatorfrcrange="-3 3" actuatorfrclimited="false"',
        tail=_actuators("<position JOINT/>"),
    ),
}

TORQUES = {
    "motor": (chain(tail=_actuators('<motor JOINT gear="10" ctrlrange="-0.5 0.5"/>')), 5.0),
    "general motor": (
        chain(
            tail=_actuators(
                '<general JOINT gear="5" gainprm="2" ctrlrange="-0.5 0.5" ctrllimited="true"/>'
            )
        ),
        5.0,
    ),
    "gain of 1": (chain(tail=_actuators('<general JOINT gear="5" ctrlrange="-0.5 0.5"/>')), 2.5),
    "force": (
        chain(
            tail=_actuators(
                '<general JOINT gear="5" gainprm="2" ctrlrange="-3 3" forcerange="-0.7 0.7"/>'
            )
        ),
        3.5,
    ),
    "class": (
        chain(
            head='<default><motor gear="4"/><general ctrlrange="-2 2"/></default>',
            tail=_actuators("<motor JOINT/>", "<general JOINT/>"),
        ),
        8.0,
    ),
    "controls not limited": (
        chain(tail=_actuators('<motor JOINT ctrlrange="-1 1" ctrllimited="false"/>')),
        None,
    ),
    "controls not clamped": (
        chain(
            head='<option><flag clampctrl="disable"/></option>',
            tail=_actuators('<motor JOINT ctrlrange="-1 1"/>'),
        ),
        None,
    ),
}

CONTACTS = {
    "one friction": ('friction="0.3"', "", ""),
    "larger of both": ('friction="0.3 0.1"', 'friction="0.2 0.3 0.01"', ""),
    "priority of the robot": ('friction="0.2" priority="1"', "", ""),
    "priority of the floor": ('friction="2"', 'friction="0.1" priority="1" condim="4"', ""),
    "no friction": ('condim="1"', 'condim="1"', ""),
    "no friction of one": ('condim="1"', "", ""),
    "torsional": ('condim="4" friction="0.5 0.02"', "", ""),
    "rolling": ('condim="6" friction="0.5 0.02 0.01"', "", ""),
    "rolling of the floor": ("", 'condim="6" friction="0.5 0.02 0.01"', ""),
    "rolling of a lower priority": ('condim="6" friction="0.5 0.02 0.01"', 'priority="2"', ""),
    "masks": ('contype="2" conaffinity="2"', "", ""),
    "one mask": ('contype="0" conaffinity="1"', "", ""),
    "own masks": ('contype="1" conaffinity="0"', 'contype="1" conaffinity="0"', ""),
    "pair": (
        "",
        "",
        '<contact><pair geom1="NAME" geom2="floor" friction="0.3 0.4 0.01 0.02 0.02" condim="6"/></contact>',
    ),
    "pair without values": (
        'friction="0.2" condim="6"',
        "",
        '<contact><pair geom1="floor" geom2="NAME"/></contact>',
    ),
    "pair of a class": (
        'contype="0" conaffinity="0"',
        "",
        '<default><pair friction="0.3" condim="4"/></default><contact><pair geom1="floor" geom2="NAME"/></contact>',
    ),
    "excluded": ("", "", '<contact><exclude body1="world" body2="b2"/></contact>'),
    "override": (
        'friction="0.2"',
        "",
        '<option o_friction="0.6 0.7 0.01"><flag override="enable"/></option>',
    ),
    "override disabled": ("", "", '<option o_friction="0.6 0.7"/>'),
    "class": ("", "", '<default><geom friction="0.4 0.2 0.3" condim="6"/></default>'),
}


def touching(robot: str, floor: str, others: str) -> str:
    """A chain whose four capsules lie on the floor."""
    text = chain(
        f'<geom name="NAME" type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.0201" {robot}/>',
        floor=f'<geom name="floor" type="plane" size="5 5 0.1" {floor}/>',
        tail=others,
    )
    for k in (1, 2, 3, 4):
        text = text.replace('"NAME"', f'"g{k}"', 1)
    return text.replace('"NAME"', '"g2"')
