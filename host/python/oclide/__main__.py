"""python -m oclide: what the command oclide hands to Python.

    python -m oclide import ROBOT -o S.h5            MJCF or URDF, through MuJoCo
    python -m oclide decompose S.h5 -o T.h5          meshes as convex hulls, through CoACD
    python -m oclide generate workshop -o S.h5       robots of other packages at work among loose parts

Exit status 0: done; 2: bad arguments or input, with one line on standard error.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from . import Error, InvalidInputError, SceneWriter, from_mujoco, mujoco_model, read_scene, workshop, write_scene
from ._decompose import decompose_meshes
from ._text import clean


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInputError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m oclide", description="What the command oclide hands to Python")
    commands = parser.add_subparsers(dest="command", required=True, metavar="import, decompose or generate")

    def add(name: str, what: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, description=what, help=what)
        command.add_argument("-o", "--output", required=True, metavar="FILE", help="scene file to write")
        command.add_argument("--json", action="store_true", help="one JSON object on standard output")
        return command

    def add_meshes(command: argparse.ArgumentParser) -> None:
        command.add_argument("--meshes", choices=("hull", "mesh"), default="hull",
                             help="meshes are their convex hulls, or all their triangles")

    model = add("import", "Write the scene file of a robot: MJCF, URDF")
    model.add_argument("file", help="MJCF or URDF file")
    add_meshes(model)
    hulls = add("decompose", "Put compounds of convex hulls in place of the meshes of a scene file (CoACD)")
    hulls.add_argument("file", help="scene file")
    hulls.add_argument("--threshold", type=float, default=0.05, metavar="T", help="concavity that is left, 0.01 to 1")
    hulls.add_argument("--max-hulls", type=int, metavar="N", help="hulls of a mesh at most")
    hulls.add_argument("--seed", type=int, default=0, metavar="N", help="of CoACD's search")
    scenario = add("generate", "Write the scene file of a scenario")
    scenario.add_argument("scenario", choices=("workshop",))
    scenario.add_argument("--bodies", type=int, metavar="N", help="number of bodies")
    scenario.add_argument("--frames", type=int, default=24, metavar="N", help="number of frames")
    scenario.add_argument("--environments", type=int, default=4, metavar="N", help="each with a robot")
    scenario.add_argument("--seed", type=int, default=1, metavar="N", help="the same seed gives the same scene")
    add_meshes(scenario)
    return parser


def _import(options: argparse.Namespace) -> dict[str, Any]:
    model = mujoco_model(options.file)
    mujoco: Any = importlib.import_module("mujoco")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    world = from_mujoco(model, data, meshes=options.meshes)
    if len(world.geom) == 0 and world.terrain_geom < 0:
        raise InvalidInputError(f"{options.file}: nothing of it collides")
    write_scene(options.output, world.scene, *world.poses(data))
    return {"bodies": len(world.geom), "hulls": len(world.scene.hulls), "meshes": len(world.scene.meshes),
            "left_out": [f"{item.name or item.geom}: {item.reason}" for item in world.left_out], "notes": world.notes}


def _decompose(options: argparse.Namespace) -> dict[str, Any]:
    file = read_scene(options.file)
    if os.path.exists(options.output) and os.path.samefile(options.file, options.output):
        raise InvalidInputError(f"{options.output}: is the scene file itself")
    scene = decompose_meshes(file.scene, threshold=options.threshold, max_hulls=options.max_hulls, seed=options.seed)
    with SceneWriter(options.output, scene, len(file), heights="float64") as writer:
        for position, orientation in file:
            writer.append(position, orientation)
    first = len(file.scene.compounds)
    return {"bodies": len(scene.bodies), "hulls": [len(parts) for parts in scene.compounds[first:]]}


def _generate(options: argparse.Namespace) -> dict[str, Any]:
    made = workshop(bodies=options.bodies, frames=options.frames, environments=options.environments, seed=options.seed,
                    meshes=options.meshes)
    write_scene(options.output, made.scene, made.position, made.orientation)
    return {"scenario": options.scenario, "seed": options.seed, "bodies": len(made.scene.bodies),
            "frames": options.frames, "environments": options.environments, "robots": made.robots,
            "hulls": len(made.scene.hulls), "meshes": len(made.scene.meshes)}


def main(arguments: Sequence[str]) -> int:
    """Runs one of the commands and returns the exit status."""
    try:
        options = _parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is in what is printed
            made = {"import": _import, "decompose": _decompose, "generate": _generate}[options.command](options)
    except Error as error:
        print(clean(f"oclide: {' '.join(str(error).split())}"), file=sys.stderr)
        return 2 if isinstance(error, InvalidInputError) else 3
    if options.json:
        print(json.dumps({"scene": os.fsencode(options.output).decode(errors="replace"), **made}))
    else:
        print(clean(f"{options.output}: " + ", ".join(
            f"{name.replace('_', ' ')} {'; '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in made.items() if value != [])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
