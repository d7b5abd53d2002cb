"""Files, frames and environments on many machines, through Ray: pip install ray.

Each worker is a Ray actor with a Collider of its own. What comes out is what one machine finds, to the bit and in the
same order. A worker that is killed is started again by Ray, which gives it the part that it was at again; nothing is
given out twice. No more is on its way than `window` parts a worker, so that a caller who is slow holds up the workers and
not the memory. docs/batches.md has examples.
"""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import CONTACT_DTYPE, real
from ._batch import BatchTable, OnRow, Path, inputs_of, record
from ._scene import Bodies, Scene
from ._tables import optional

__all__ = ["batch", "collide", "collide_environments"]

Result = TypeVar("Result")
Pose = tuple[ArrayLike, ArrayLike]


def _ray() -> Any:
    ray = optional("ray", "oclide.distributed")
    if not ray.is_initialized():
        ray.init()
    return ray


def _check_device(device: str, found: _oclide.DeviceInfo) -> None:
    """The reference is another implementation, with other bits: nobody gets it where it was not asked for."""
    if found.is_reference and device != "reference":
        raise _oclide.InvalidInputError("a worker has no OpenCL device; device=\"reference\" takes the reference on all")


# Workers open their device with the first call and not as they are made: what fails in a call is its caller's error.


class _FileWorker:
    def __init__(self, device: str, margin: float, memory_limit: int, frames: str) -> None:
        self._settings = (device, margin, memory_limit, frames)
        self._runner: _oclide.BatchRunner | None = None

    def open(self) -> _oclide.BatchRunner:
        if self._runner is None:
            _check_device(self._settings[0], _oclide.Collider(self._settings[0]).device)
            self._runner = _oclide.BatchRunner(*self._settings)
        return self._runner

    def ready(self) -> None:
        self.open()

    def run(self, scene: str, contacts: str) -> _oclide.BatchRow:
        # Of a worker that was killed at it: no other is at this file.
        for leftover in glob.glob(glob.escape(contacts) + ".partial*") if contacts else ():
            os.remove(leftover)
        return self.open().run(scene, contacts)


class _FrameWorker:
    def __init__(self, scene: Scene, device: str, margin: float, memory_limit: int) -> None:
        self._scene = scene
        self._settings = (device, margin, memory_limit)
        self._collider: _oclide.Collider | None = None

    def run(self, position: ArrayLike, orientation: ArrayLike) -> _oclide.Frame:
        if self._collider is None:
            device, margin, memory_limit = self._settings
            collider = _oclide.Collider(device, margin=margin, memory_limit=memory_limit)
            collider.set_scene(self._scene)
            _check_device(device, collider.device)
            self._collider = collider
        return self._collider.update(position, orientation)


def _workers(kind: type, arguments: list[tuple[Any, ...]], options: Mapping[str, Any] | None) -> list[Any]:
    """One for each tuple of arguments; by default with a GPU each where the cluster has any, else spread over nodes."""
    ray = _ray()
    chosen: dict[str, Any] = {"max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": "SPREAD"}
    if ray.cluster_resources().get("GPU", 0) >= 1:
        chosen["num_gpus"] = 1
    chosen.update(options or {})
    actor = ray.remote(kind).options(**chosen)
    return [actor.remote(*each) for each in arguments]


def _count(workers: int | None) -> int:
    """By default one a GPU, else one a node: a Collider on CPUs takes all cores of its machine."""
    ray = _ray()
    if workers is None:
        workers = int(ray.cluster_resources().get("GPU", 0)) or sum(node["Alive"] for node in ray.nodes())
    if workers < 1:
        raise _oclide.InvalidInputError(f"workers must be at least 1, but is {workers}")
    return workers


def _result(reference: Any) -> Any:
    """Errors of the library as they are, not wrapped in Ray's."""
    ray = _ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, _oclide.Error):
            raise type(error.cause)(str(error.cause)) from None
        raise


def _in_order(workers: list[Any], parts: Iterable[Any], send: Callable[[Any, Any], Any], window: int) -> Iterator[Any]:
    """What the workers make of the parts, in the order of these. Each part goes to the worker that has the fewest."""
    ray = _ray()
    if window < 1:
        raise _oclide.InvalidInputError(f"window must be at least 1, but is {window}")
    at_work: dict[Any, int] = {}
    load = [0] * len(workers)
    sent: deque[Any] = deque()
    for part in parts:
        # Those that are finished and wait for the caller count as well.
        if len(sent) >= window * len(workers):
            yield _result(sent.popleft())
        finished = ray.wait(list(at_work), num_returns=len(at_work), timeout=0)[0] if at_work else []
        for reference in finished:
            load[at_work.pop(reference)] -= 1
        chosen = load.index(min(load))
        reference = send(workers[chosen], part)
        at_work[reference] = chosen
        load[chosen] += 1
        sent.append(reference)
    while sent:
        yield _result(sent.popleft())


def _end(workers: list[Any]) -> None:
    for worker in workers:
        _ray().kill(worker)


def batch(inputs: Path | Iterable[Path], output: Path | None = None, *, summary: Path | None = None,
          summary_only: bool = False, resume: bool = False, device: str = "auto", margin: float = 0.0,
          memory_limit: int = 0, frames: str = "", on_row: OnRow = None, workers: int | None = None, window: int = 2,
          worker_options: Mapping[str, Any] | None = None) -> BatchTable:
    """As oclide.batch(), with the files dealt out to workers. All machines see the files under the same names.

    workers: how many; None: one a GPU of the cluster, or one a node where it has none. worker_options: Ray's options of
    each worker's actor, such as num_gpus, num_cpus and resources.
    """
    plan = _oclide.Batch([os.path.abspath(os.fspath(name)) for name in inputs_of(inputs)],
                         os.path.abspath(output) if output else "", os.path.abspath(summary) if summary else "",
                         summary_only, resume, frames, margin)
    work = [(os.path.abspath(scene), contacts) for scene, contacts in plan.work]
    if not work:
        return record(plan, (), on_row)
    count = min(_count(workers), len(work))
    made = _workers(_FileWorker, [(device, margin, memory_limit, frames)] * count, worker_options)
    try:
        _result(made[0].ready.remote())  # what cannot begin changes nothing
        plan.begin()
        return record(plan, _in_order(made, work, lambda worker, part: worker.run.remote(*part), window), on_row)
    finally:
        _end(made)


def collide(scene: Scene, poses: Iterable[Pose], *, device: str = "auto", margin: float = 0.0, memory_limit: int = 0,
            workers: int | None = None, window: int = 2,
            worker_options: Mapping[str, Any] | None = None) -> Iterator[_oclide.Frame]:
    """The contacts of one scene at many poses (position, orientation), in their order: frames dealt out to workers.

        for frame in oclide.distributed.collide(file.scene, file):
            ...

    poses may come from a generator, of which no more is taken than is on its way. workers, window, worker_options: as of
    batch().
    """
    ray = _ray()
    shared = ray.put(scene)
    made = _workers(_FrameWorker, [(shared, device, margin, memory_limit)] * _count(workers), worker_options)
    try:
        yield from _in_order(made, poses, lambda worker, part: worker.run.remote(*part), window)
    finally:
        _end(made)


def collide_environments(scene: Scene, poses: Iterable[Pose], *, device: str = "auto", margin: float = 0.0,
                         memory_limit: int = 0, workers: int | None = None, window: int = 2,
                         worker_options: Mapping[str, Any] | None = None) -> Iterator[_oclide.Frame]:
    """As collide(), with the environments of the scene dealt out to the workers, and each frame put together of theirs:
    for frames that one device has no room for, or that one caller waits for."""
    ray = _ray()
    environment = scene.bodies.environment
    of_body = np.zeros(len(scene.bodies), np.uint32) if environment is None else environment
    names, which = np.unique(of_body, return_inverse=True)
    count = max(1, min(_count(workers), len(names)))
    # As many bodies to each as can be, in whole environments one after another.
    ends = np.cumsum(np.bincount(which, minlength=len(names)))
    part_of = np.minimum((ends - 1) * count // max(len(of_body), 1), count - 1)[which] if len(names) else which
    indices = [found for k in range(count) if len(found := np.flatnonzero(part_of == k)) or len(names) == 0]
    shared = [ray.put(_part(scene, index)) for index in indices]  # kept for workers that are started again
    made = _workers(_FrameWorker, [(part, device, margin, memory_limit) for part in shared], worker_options)
    waiting: deque[list[Any]] = deque()
    try:
        for position, orientation in poses:
            if len(waiting) >= window:
                yield _joined([_result(reference) for reference in waiting.popleft()], indices)
            p, q = real(position, "position"), real(orientation, "orientation")
            for array, name, width in ((p, "position", 3), (q, "orientation", 4)):
                if array.shape != (len(of_body), width):
                    raise _oclide.InvalidInputError(
                        f"{name} has shape {array.shape}, but must have ({len(of_body)}, {width})")
            waiting.append([worker.run.remote(p[index], q[index]) for worker, index in zip(made, indices)])
        while waiting:
            yield _joined([_result(reference) for reference in waiting.popleft()], indices)
    finally:
        _end(made)


def _part(scene: Scene, index: NDArray[np.intp]) -> Scene:
    """The scene with these bodies alone."""
    b = scene.bodies
    excluded = None
    if b.excluded is not None:
        place = np.full(len(b), -1)
        place[index] = np.arange(len(index))
        pairs = place[b.excluded]
        excluded = pairs[(pairs >= 0).all(axis=1)]  # pairs of two environments never meet
    bodies = Bodies(b.shape[index], b.size[index], excluded=excluded, either_mask=b.either_mask,
                    **{name: None if (array := getattr(b, name)) is None else array[index]
                       for name in ("environment", "group", "category", "mask", "flags", "margin")})
    part = Scene(bodies)
    part.__dict__.update({**scene.__dict__, "bodies": bodies})
    return part


def _joined(frames: list[_oclide.Frame], indices: list[NDArray[np.intp]]) -> _oclide.Frame:
    """One frame of those of parts of the bodies, as it would be of all of them."""
    counts = [len(frame) for frame in frames]
    contacts = np.zeros(sum(counts), CONTACT_DTYPE)
    for frame, index, part in zip(frames, indices, np.split(contacts, np.cumsum(counts)[:-1])):
        part[:] = frame.contacts
        part["body_a"] = index[part["body_a"]]
        other = part["body_b"] != _oclide.TERRAIN
        part["body_b"][other] = index[part["body_b"][other]]
    part_of = np.repeat(np.arange(len(frames)), counts)
    order = np.argsort(contacts["body_a"], kind="stable")  # all contacts of a body are of one part, in order
    contacts, part_of = contacts[order], part_of[order]
    if len(contacts):
        begins = (np.diff(contacts["manifold"].astype(np.int64)) != 0) | (np.diff(part_of) != 0)
        contacts["manifold"] = np.concatenate([[0], np.cumsum(begins)])
    states = [frame.__getstate__() for frame in frames]
    numbers = [sum(each) for each in zip(*(state[3] for state in states))]
    numbers[-1] = max(state[3][-1] for state in states)  # bytes of one device
    times = [max(each) for each in zip(*(state[4] for state in states))]
    joined = _oclide.Frame.__new__(_oclide.Frame)
    joined.__setstate__((contacts.tobytes(), b"", b"", numbers, times))
    return joined
