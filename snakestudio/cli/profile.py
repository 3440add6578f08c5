"""List, check and show robot profiles, or create a new one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from snakestudio.cli.shared import scene_path
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.link.profile.loading import LoadedProfile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio profile`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "list                     bundled profiles and your own\n"
        "check FILE...            all problems; exit code 2 if there is an error, or if the\n"
        "                         profile does not allow arming\n"
        "show FILE                axes, messages, bus load and problems that prevent arming\n"
        "new TEMPLATE FOLDER      copy a profile and its DBC to a folder for editing; with --scene\n"
        "                         its axes become those of the scene's robot, nodes numbered up\n\n"
        "FILE is a .toml file, or the name of a profile in the list."
    )
    parser.add_argument("action", choices=("list", "check", "show", "new"), help="what to do")
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="profiles, or a template and a folder"
    )
    parser.add_argument(
        "--scene",
        metavar="SCENE",
        type=scene_path,
        help="with new: scene with the robot whose joints the profile moves",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio profile`; return the exit code."""
    names: list[str] = options.names
    if options.scene is not None and options.action != "new":
        raise UsageError(
            f"profile {options.action} has no option --scene. Remove it, or use profile new."
        )
    if options.action == "list":
        if names:
            raise UsageError(
                f"profile list has no arguments (got {names[0]!r}). Use profile show NAME to show one profile."
            )
        return _list()
    if options.action == "check":
        if not names:
            raise UsageError("profile check needs the names of profiles. Give at least one.")
        return max(_check(name) for name in names)
    if options.action == "show":
        if len(names) != 1:
            raise UsageError("profile show needs one profile. Give its name.")
        return _show(names[0])
    if len(names) != 2:
        raise UsageError(
            "profile new needs a template and a folder. Give both, such as: profile new lab_robot my_robot."
        )
    template, folder = names
    return _new(template, folder, options.scene)


def _list() -> int:
    from snakestudio import paths
    from snakestudio.errors import ProfileError
    from snakestudio.link.profile.library import own, shipped
    from snakestudio.link.profile.loading import load_profile

    for path in (*shipped(), *own()):
        try:
            profile = load_profile(path).profile
            what = f"{profile.name}: {profile.description.splitlines()[0] if profile.description else ''}"
        except ProfileError:
            what = "cannot be read; profile check shows why"
        print(f"{path.stem:<20} {what}")
    print(f"Your own profiles are in {paths.profiles_dir()}.")
    return 0


def _check(name: str) -> int:
    import sys

    from snakestudio.errors import ProfileError
    from snakestudio.link.profile.check import arming_problems, check
    from snakestudio.link.profile.library import find_profile
    from snakestudio.link.profile.loading import load_profile

    try:
        path = find_profile(name)
        loaded = load_profile(path)
        problems = check(loaded)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return 2
    for problem in problems:
        if problem.severity == "error":
            print(f"{path}: {problem.sentence()}", file=sys.stderr)
        else:
            print(f"{path}: {problem.severity}: {problem.sentence()}")
    if any(problem.severity == "error" for problem in problems):
        return 2
    if arming_problems(loaded):
        print(f"{path}: this profile allows listening, but not arming: see above", file=sys.stderr)
        return 2
    print(f"{path}: no problems")
    return 0


def _show(name: str) -> int:
    from snakestudio.link.profile.check import arming_problems
    from snakestudio.link.profile.library import find_profile
    from snakestudio.link.profile.loading import load_profile

    loaded = load_profile(find_profile(name))
    profile = loaded.profile
    bus = loaded.profile.bus
    print(
        f"{profile.name}: {profile.n_joints} joints, {len(profile.axes)} axes, {len(profile.nodes)} nodes"
    )
    if profile.description:
        print(profile.description)
    rate = f"{bus.bitrate} bit/s" + (f", data {bus.data_bitrate} bit/s" if bus.fd else "")
    print(
        f"\nbus {bus.interface} {bus.channel}, {rate}; set-points at {profile.timing.set_point_rate_hz:g} Hz\n"
    )
    _show_axes(loaded)
    _show_messages(loaded)
    problems = arming_problems(loaded)
    print("\nIt can be armed." if not problems else "\nIt cannot be armed:")
    for problem in problems:
        print(f"  {problem.sentence()}")
    return 0


def _show_axes(loaded: LoadedProfile) -> None:
    limits = loaded.profile.limits
    print(
        f"{'axis':<16}{'node':>6}{'slot':>6}{'sign':>6}{'offset °':>10}{'gear':>8}{'from °':>9}{'to °':>8}"
    )
    for axis in loaded.profile.axes:
        low = limits.min_deg if axis.min_deg is None else axis.min_deg
        high = limits.max_deg if axis.max_deg is None else axis.max_deg
        print(
            f"{axis.name:<16}{axis.node:>6}{axis.slot:>6}{axis.sign:>6}{axis.offset_deg:>10g}{axis.gear:>8g}"
            f"{low:>9g}{high:>8g}"
        )


def _show_messages(loaded: LoadedProfile) -> None:
    from snakestudio.link.profile.binding import resolve
    from snakestudio.link.profile.bus_load import message_loads, planned_load

    layout = resolve(loaded)
    ids: dict[int, list[int]] = {}
    for bound in layout.bound:
        ids.setdefault(bound.index, []).append(bound.id)
    print(f"\n{'message':<26}{'role':<16}{'ids':<18}{'per second':>10}{'bus load':>10}")
    for index, message_load in enumerate(message_loads(loaded.profile, layout.bound)):
        own = ids.get(index, [])
        span = (
            ""
            if not own
            else f"0x{own[0]:X}"
            if min(own) == max(own)
            else f"0x{min(own):X} to 0x{max(own):X}"
        )
        load = f"{100 * message_load.load:.1f} %" if message_load.rate else ""
        often = f"{message_load.rate:g}" if message_load.rate else ""
        print(
            f"{message_load.message.called:<26}{message_load.message.role:<16}{span:<18}{often:>10}{load:>10}"
        )
    total = 100 * planned_load(loaded.profile, layout.bound)
    print(f"{'total with worst-case bit stuffing':<70}{total:>8.1f} %")


def _new(template: str, folder: str, scene: str | None) -> int:
    from snakestudio.link.profile.library import new_profile
    from snakestudio.link.profile.loading import load_profile
    from snakestudio.model.scene_file import load_scene

    path = new_profile(template, folder, None if scene is None else load_scene(scene))
    print(f"wrote {path} and its DBC; edit them, then run: snakestudio profile check {path}")
    if scene is not None:
        profile = load_profile(path).profile
        nodes = f"nodes {min(profile.nodes)} to {max(profile.nodes)}"
        print(
            f"{len(profile.axes)} axes ({profile.axes_text}) of {scene}, moved by {nodes}: check these for the robot"
        )
    return 0
