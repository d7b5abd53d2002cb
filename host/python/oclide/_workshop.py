"""The scenario `workshop`: robots of real meshes at work among loose parts, in many environments."""

from __future__ import annotations

import pathlib
import sys
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._models import _mujoco, model_spec
from ._mujoco import from_mujoco
from ._scene import Bodies, Mesh, Scene

_ROBOTS = (
    "gymnasium_robotics/envs/assets/fetch/reach.xml",
    "gymnasium_robotics/envs/assets/hand/reach.xml",
    *("cmeel.prefix/share/example-robot-data/robots/" + name for name in (
        "ur_description/urdf/ur5_robot.urdf", "so_arm_description/urdf/so100.urdf", "go2_description/urdf/go2.urdf",
        "xarm_description/urdf/xarm7.urdf", "talos_data/robots/talos_reduced.urdf")),
)
"""In a folder of Python's packages."""

_PARTS = 12  # loose parts of an environment, where no number is asked for
_FRAME = 0.05  # from one frame to the next [s]
_STEP = 0.0025  # of the simulation [s]
_FALL = 1.5  # that parts have to come down before the first frame [s]
_FASTEST = 3.0  # of a part, which a robot may press onto the floor [m/s, rad/s]
_HEAVY = 1e4  # inertia of a joint [kg, kg m^2]


class Workshop(NamedTuple):
    """What workshop() makes: scene, position (frames, n, 3) and orientation (frames, n, 4), for write_scene(); and the
    robots in it by their files' names."""

    scene: Scene
    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    robots: list[str]


class _Motion:
    """How the joints of a robot swing, but for those of balls; what is free stays where it is."""

    def __init__(self, model: Any, joints: int, seed: int) -> None:
        mujoco = _mujoco()
        kind = np.array(model.jnt_type[:joints])
        led = np.flatnonzero((kind == int(mujoco.mjtJoint.mjJNT_HINGE)) | (kind == int(mujoco.mjtJoint.mjJNT_SLIDE)))
        free = np.flatnonzero(kind == int(mujoco.mjtJoint.mjJNT_FREE)).tolist()
        low, high = model.jnt_range[led].T
        limited = model.jnt_limited[led].astype(bool)
        random = np.random.default_rng(seed)
        self._address, self._velocity = model.jnt_qposadr[led], model.jnt_dofadr[led]
        self._middle = np.where(limited, 0.5 * (low + high), model.qpos0[self._address])
        self._swing = np.where(limited, 0.35 * np.minimum(high - low, 3.0),
                               np.where(kind[led] == int(mujoco.mjtJoint.mjJNT_HINGE), 1.0, 0.1))
        self._rate = random.uniform(1.0, 2.5, len(led))
        self._phase = random.uniform(0.0, 2.0 * np.pi, len(led))
        self._held = [(model.jnt_qposadr[j], model.jnt_dofadr[j], model.qpos0[model.jnt_qposadr[j]:][:7].copy())
                      for j in free]

    def lead(self, data: Any, time: float) -> None:
        turn = self._rate * time + self._phase
        data.qpos[self._address] = self._middle + self._swing * np.sin(turn)
        data.qvel[self._velocity] = self._swing * self._rate * np.cos(turn)
        for q, v, at in self._held:
            data.qpos[q:q + 7] = at
            data.qvel[v:v + 6] = 0.0


class _Cell:
    """A robot and its loose parts on a floor, which any number of environments have."""

    def __init__(self, file: pathlib.Path, parts: int, seed: int, meshes: Literal["hull", "mesh"]) -> None:
        mujoco = _mujoco()
        spec = model_spec(file)
        # The robot goes where it is led: nothing else moves it.
        for kind in ("equalities", "actuators", "tendons", "sensors", "keys"):
            for item in list(getattr(spec, kind)):
                spec.delete(item)
        for geom in list(spec.worldbody.geoms):
            if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
                spec.delete(geom)
        robot = spec.compile()
        self._motion = _Motion(robot, robot.njnt, seed)
        low, high = _room(robot, self._motion)
        self._middle, self._reach = 0.5 * (low + high), float(np.clip(0.5 * (high - low)[:2].max(), 0.2, 1.5))
        self._top = high[2]
        # The floor is where the robot just scrapes over it.
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1],
                                pos=[0.0, 0.0, low[2] + 0.01 * self._reach])
        random = np.random.default_rng(seed)
        kinds = [mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER,
                 mujoco.mjtGeom.mjGEOM_CAPSULE]
        loose = []
        for k in range(parts):
            body = spec.worldbody.add_body(name=f"part {k}")
            body.add_freejoint()
            size = self._reach * random.uniform(0.05, 0.12, 3)
            loose.append(body.add_geom(type=kinds[k % 4], size=size, density=500.0))
        self.world = from_mujoco(spec.compile(), meshes=meshes)
        # For the simulation: parts meet everything, the rest nothing but parts, and no push turns the robot aside.
        for item in list(spec.pairs):
            spec.delete(item)
        for geom in spec.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype, geom.conaffinity = 1, int(geom in loose)
        for joint in spec.joints:
            if joint.type != mujoco.mjtJoint.mjJNT_FREE:
                joint.armature = _HEAVY
        spec.option.timestep = _STEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self._model = spec.compile()
        self._first_part = robot.njnt

    def poses(self, frames: int, seed: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Of each frame: the joints swing, and the parts fall, lie and are pushed."""
        mujoco, model = _mujoco(), self._model
        random = np.random.default_rng(seed)
        begin = random.uniform(0.0, 20.0)
        data = mujoco.MjData(model)
        for k, joint in enumerate(range(self._first_part, model.njnt)):
            # One above the other, over all that the robot does.
            angle, far = random.uniform(0.0, 2.0 * np.pi), self._reach * random.uniform(0.2, 0.8)
            turn, q = random.normal(size=4), model.jnt_qposadr[joint]
            data.qpos[q:q + 3] = [self._middle[0] + far * np.cos(angle), self._middle[1] + far * np.sin(angle),
                                  self._top + self._reach * 0.4 * (k + 1)]
            data.qpos[q + 3:q + 7] = turn / np.linalg.norm(turn)
        poses = []
        steps, fall = round(_FRAME / _STEP), round(_FALL / _STEP)
        for step in range(-fall, 1 + (frames - 1) * steps):
            np.clip(data.qvel, -_FASTEST, _FASTEST, out=data.qvel)
            self._motion.lead(data, begin + step * _STEP)
            if step >= 0 and step % steps == 0:
                mujoco.mj_kinematics(model, data)
                position, orientation = self.world.poses(data)
                poses.append((position.copy(), orientation.copy()))
            mujoco.mj_step(model, data)
        return poses


def workshop(*, bodies: int | None = None, frames: int = 24, environments: int = 4, seed: int = 1,
             meshes: Literal["hull", "mesh"] = "hull") -> Workshop:
    """Robots of real meshes at work among loose parts: each environment has one on a floor, all kinds by turns.

        made = oclide.workshop(environments=16)
        oclide.write_scene("workshop.h5", made.scene, made.position, made.orientation)

    bodies: all of them, robots' links and floors among them; default: 12 loose parts an environment. meshes: as of
    from_mujoco(). Robots are of the PyPI packages gymnasium-robotics and example-robot-data, those that are installed;
    without either that is an InvalidInputError. Joints swing as they are led; parts move as MuJoCo simulates them.
    """
    for name, value in (("frames", frames), ("environments", environments)):
        if value < 1:
            raise _oclide.InvalidInputError(f"{name} must be at least 1, but is {value!r}")
    _mujoco()
    files = robot_files()
    if not files:
        raise _oclide.InvalidInputError("workshop: no robots are installed: pip install gymnasium-robotics, or "
                                        "example-robot-data")
    files = files[:environments]
    loose = environments * _PARTS
    if bodies is not None:
        alone = [len(_Cell(file, 0, seed, meshes).world.geom) for file in files]
        fixed = [alone[e % len(files)] for e in range(environments)]
        loose = bodies - sum(fixed)
    if loose < 0:
        raise _oclide.InvalidInputError(f"bodies: the robots of {environments} environments are {sum(fixed)} bodies, "
                                        f"more than {bodies}")
    cells: dict[tuple[int, int], _Cell] = {}
    of_environment = []
    for e in range(environments):
        key = (e % len(files), loose // environments + (1 if e < loose % environments else 0))
        if key not in cells:
            cells[key] = _Cell(files[key[0]], key[1], seed, meshes)
        of_environment.append(cells[key])

    hulls: list[ArrayLike] = []
    surfaces: list[Mesh] = []
    bodies_of: dict[int, Bodies] = {}
    for cell in cells.values():
        scene = cell.world.scene
        size = scene.bodies.size.copy()
        size[scene.bodies.shape == _oclide.Shape.CONVEX_HULL, 0] += len(hulls)
        size[scene.bodies.shape == _oclide.Shape.TRIANGLE_MESH, 0] += len(surfaces)
        hulls += scene.hulls
        surfaces += scene.meshes
        bodies_of[id(cell)] = Bodies(scene.bodies.shape, size, group=scene.bodies.group, flags=scene.bodies.flags,
                                     category=scene.bodies.category, mask=scene.bodies.mask,
                                     margin=np.zeros(len(size)) if scene.bodies.margin is None else scene.bodies.margin,
                                     excluded=scene.bodies.excluded, either_mask=scene.bodies.either_mask)
    rows = [bodies_of[id(cell)] for cell in of_environment]

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(row, name) for row in rows])

    first = np.cumsum([0] + [len(row) for row in rows[:-1]]).astype(np.uint32)
    excluded = [k + row.excluded for k, row in zip(first, rows) if row.excluded is not None]
    margin = joined("margin")
    everything = Bodies(joined("shape"), joined("size"), group=joined("group"), category=joined("category"),
                        mask=joined("mask"), flags=joined("flags"), margin=margin if margin.any() else None,
                        excluded=np.concatenate(excluded), either_mask=all(row.either_mask for row in rows),
                        environment=np.repeat(np.arange(environments, dtype=np.uint32), [len(row) for row in rows]))
    poses = [cell.poses(frames, seed + 1 + e) for e, cell in enumerate(of_environment)]
    return Workshop(Scene(everything, hulls=hulls, meshes=surfaces, environment_terrain=[-1] * environments),
                    np.stack([np.concatenate([p[f][0] for p in poses]) for f in range(frames)]),
                    np.stack([np.concatenate([p[f][1] for p in poses]) for f in range(frames)]),
                    [file.parent.name if file.stem == "reach" else file.stem for file in files])


def robot_files() -> list[pathlib.Path]:
    """Files of robots that are installed."""
    places = [[pathlib.Path(entry) / name for entry in sys.path if (pathlib.Path(entry) / name).is_file()]
              for name in _ROBOTS]
    return [found[0] for found in places if found]


def _room(model: Any, motion: _Motion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The box around what of the robot collides, wherever it goes: lower and upper corner [m]."""
    mujoco = _mujoco()
    data = mujoco.MjData(model)
    collides = ((model.geom_contype != 0) | (model.geom_conaffinity != 0)) & (model.body_weldid[model.geom_bodyid] != 0)
    corners = []
    for time in np.linspace(0.0, 25.0, 400):
        motion.lead(data, time)
        mujoco.mj_kinematics(model, data)
        axes = data.geom_xmat[collides].reshape(-1, 3, 3)
        box = np.array(model.geom_aabb).reshape(-1, 6)[collides]
        middle = data.geom_xpos[collides] + np.einsum("gij,gj->gi", axes, box[:, :3])
        half = np.einsum("gij,gj->gi", np.abs(axes), box[:, 3:])
        corners.append((np.min(middle - half, axis=0), np.max(middle + half, axis=0)))
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)
