"""Files, frames and environments on many machines, through Ray: pip install ray.

Each worker is a Ray actor with a Collider of its own. What comes out is what one machine finds, to the bit and in the
same order. A worker that is killed is replaced, and what it had not finished is done again, but not without end: see
`tries`. No more is on its way than `window` parts a worker, so that a caller who is slow holds up the workers and
not the memory. docs/batches.md has examples.
"""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import CONTACT_DTYPE, opaque, real
from ._batch import BatchTable, OnRow, Path, inputs_of, record
from ._scene import OF_BODIES, Bodies, Scene
from ._tables import optional

__all__ = ["WorkersDied", "batch", "collide", "collide_environments"]

Pose = tuple[ArrayLike, ArrayLike]


def _ray() -> Any:
    ray = optional("ray", "oclide.distributed")
    if not ray.is_initialized():
        ray.init()
    return ray


def _check_device(device: str, found: _oclide.DeviceInfo) -> None:
    """The reference is another implementation, with other bits: nobody gets it where it was not asked for."""
    if found.is_reference and device != "reference":
        raise _oclide.InvalidInputError(
            "a worker has no OpenCL device; device=\"reference\" takes the reference on all")


def _remove_partial(contacts: str) -> None:
    """Of a worker that died at this contact file: no other is at it."""
    for leftover in glob.glob(glob.escape(contacts) + ".partial*") if contacts else ():
        os.remove(leftover)


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
        _remove_partial(contacts)
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


def _actor(kind: type, options: Mapping[str, Any] | None) -> Any:
    """By default with a GPU each where the cluster has any, else spread over nodes."""
    ray = _ray()
    chosen: dict[str, Any] = {"scheduling_strategy": "SPREAD"}
    if ray.cluster_resources().get("GPU", 0) >= 1:
        chosen["num_gpus"] = 1
    chosen.update(options or {})
    # Who dies is replaced here, and what it was at is counted; Ray would send it again without end, or not at all.
    return ray.remote(kind).options(**{**chosen, "max_restarts": 0, "max_task_retries": 0})


def _count(workers: int | None) -> int:
    """By default one a GPU, else one a node: a Collider on CPUs takes all cores of its machine."""
    ray = _ray()
    if workers is None:
        workers = int(ray.cluster_resources().get("GPU", 0)) or sum(node["Alive"] for node in ray.nodes())
    if workers < 1:
        raise _oclide.InvalidInputError(f"workers must be at least 1, but is {workers}")
    return workers


class WorkersDied(_oclide.DeviceError):
    """A part that all workers died at that were given it."""


def _result(reference: Any) -> Any:
    """Errors of the library as they are, not wrapped in Ray's."""
    ray = _ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, _oclide.Error):
            raise type(error.cause)(str(error.cause)) from None
        raise


class _Job:
    """One part on its way."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name = name
        self.arguments = arguments
        self.reference: Any = None  # None: not given to the worker
        self.is_suspect = False  # a worker died while it had this part
        self.deaths = 0  # of workers that had this part alone


class _Crew:
    """Workers, and what each is at. One that dies is replaced, and does again what it had not finished.

    Of several parts that a worker had when it died nobody can tell which it was at: what it had finished may not have
    arrived. So each is done again alone, when its result is asked for, and only what a worker dies at then is
    counted."""

    def __init__(self, kind: type, arguments: list[tuple[Any, ...]], options: Mapping[str, Any] | None,
                 tries: int) -> None:
        if tries < 1:
            raise _oclide.InvalidInputError(f"tries must be at least 1, but is {tries}")
        self._actor = _actor(kind, options)
        self._arguments = arguments
        self._tries = tries
        self.workers = [self._actor.remote(*each) for each in arguments]
        self._jobs: list[deque[_Job]] = [deque() for _ in arguments]

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: Any) -> None:
        for worker in self.workers:
            _ray().kill(worker)

    def __len__(self) -> int:
        return len(self.workers)

    def send(self, worker: int, name: str, *arguments: Any) -> _Job:
        """`name`: of the part, for who reads that workers died at it. Results are asked for in the order of parts."""
        job = _Job(name, arguments)
        self._jobs[worker].append(job)
        self._go_on(worker)
        return job

    def _start(self, worker: int, job: _Job) -> None:
        job.reference = self.workers[worker].run.remote(*job.arguments)

    def _go_on(self, worker: int) -> None:
        jobs = self._jobs[worker]
        if any(job.is_suspect for job in jobs):
            return
        for job in jobs:
            if job.reference is None:
                self._start(worker, job)

    def idlest(self) -> int:
        """The worker that has the fewest parts to do."""
        ray = _ray()
        sent = [job.reference for jobs in self._jobs for job in jobs if job.reference is not None]
        finished = ray.wait(sent, num_returns=len(sent), timeout=0)[0] if sent else []
        load = [sum(job.reference not in finished for job in jobs) for jobs in self._jobs]
        return load.index(min(load))

    def result(self, job: _Job) -> Any:
        """What became of it. Raises WorkersDied where as many workers died at it as may."""
        ray = _ray()
        worker = next(k for k, jobs in enumerate(self._jobs) if job in jobs)
        try:
            while job.deaths < self._tries:
                if job.reference is None:
                    self._start(worker, job)
                try:
                    return _result(job.reference)
                except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError):
                    self._replace(worker)
            raise WorkersDied(f"{job.name}: {job.deaths} workers died at it")
        finally:
            self._jobs[worker].remove(job)
            self._go_on(worker)

    def _replace(self, worker: int) -> None:
        """A new worker, and none of what the old one left is given to it yet."""
        ray = _ray()
        ray.kill(self.workers[worker])  # where it lives on, and only what it found was lost
        left = []
        for job in self._jobs[worker]:
            try:
                if job.reference is not None:
                    ray.get(job.reference)
            except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError):
                left.append(job)
            except Exception:  # its own error: it was done
                pass
        self.workers[worker] = self._actor.remote(*self._arguments[worker])
        if len(left) == 1:
            left[0].deaths += 1
        for job in left:
            job.reference, job.is_suspect = None, True


def _check_window(window: int) -> None:
    if window < 1:
        raise _oclide.InvalidInputError(f"window must be at least 1, but is {window}")


def _in_order(crew: _Crew, parts: Iterable[tuple[Any, ...]], name: Callable[[int, tuple[Any, ...]], str],
              window: int) -> Iterator[tuple[int, _Job]]:
    """Numbers and jobs of the parts, in their order, each when its result is due. Each goes to the worker that has the
    fewest; no more are on their way or wait for the caller than `window` a worker."""
    _check_window(window)
    sent: deque[tuple[int, _Job]] = deque()
    for k, part in enumerate(parts):
        if len(sent) >= window * len(crew):
            yield sent.popleft()
        sent.append((k, crew.send(crew.idlest(), name(k, part), *part)))
    yield from sent


def batch(inputs: Path | Iterable[Path], output: Path | None = None, *, summary: Path | None = None,
          summary_only: bool = False, resume: bool = False, device: str = "auto", margin: float = 0.0,
          memory_limit: int = 0, frames: str = "", on_row: OnRow = None, workers: int | None = None, window: int = 2,
          tries: int = 3, worker_options: Mapping[str, Any] | None = None) -> BatchTable:
    """As oclide.batch(), with the files dealt out to workers. All machines see the files under the same names.

    workers: how many; None: one a GPU of the cluster, or one a node where it has none. tries: a file that so many
    workers died at (out of memory, say) is a row that failed, and the others are done. worker_options: Ray's options of
    each worker's actor, such as num_gpus, num_cpus and resources.
    """
    plan = _oclide.Batch([os.path.abspath(os.fspath(name)) for name in inputs_of(inputs)],
                         os.path.abspath(output) if output else "", os.path.abspath(summary) if summary else "",
                         summary_only, resume, frames, margin, device == "reference")
    work = [(os.path.abspath(scene), contacts) for scene, contacts in plan.work]
    if not work:
        return record(plan, (), on_row)
    count = min(_count(workers), len(work))
    with _Crew(_FileWorker, [(device, margin, memory_limit, frames)] * count, worker_options, tries) as crew:
        _result(crew.workers[0].ready.remote())  # what cannot begin changes nothing
        plan.begin()

        def rows() -> Iterator[_oclide.BatchRow]:
            for k, job in _in_order(crew, work, lambda _, part: part[0], window):
                try:
                    row = crew.result(job)
                except WorkersDied as error:
                    _remove_partial(work[k][1])
                    row = _oclide.BatchRow(work[k][0], str(error), frames, margin)
                yield row

        return record(plan, rows(), on_row)


def collide(scene: Scene, poses: Iterable[Pose], *, device: str = "auto", margin: float = 0.0, memory_limit: int = 0,
            workers: int | None = None, window: int = 2, tries: int = 3,
            worker_options: Mapping[str, Any] | None = None) -> Iterator[_oclide.Frame]:
    """The contacts of one scene at many poses (position, orientation), in their order: frames dealt out to workers.

        for frame in oclide.distributed.collide(file.scene, file):
            ...

    poses may come from a generator, of which no more is taken than is on its way. tries: a frame that so many workers
    died at is an error, WorkersDied. workers, window, worker_options: as of batch().
    """
    ray = _ray()
    shared = ray.put(scene)
    with _Crew(_FrameWorker, [(shared, device, margin, memory_limit)] * _count(workers), worker_options, tries) as crew:
        for _, job in _in_order(crew, poses, lambda k, _: f"frame {k}", window):
            yield crew.result(job)


def collide_environments(scene: Scene, poses: Iterable[Pose], *, device: str = "auto", margin: float = 0.0,
                         memory_limit: int = 0, workers: int | None = None, window: int = 2, tries: int = 3,
                         worker_options: Mapping[str, Any] | None = None) -> Iterator[_oclide.Frame]:
    """As collide(), with the environments of the scene dealt out to the workers, and each frame put together of theirs:
    for frames that one device has no room for, or that one caller waits for."""
    _check_window(window)
    ray = _ray()
    environment = scene.bodies.environment
    of_body = np.zeros(len(scene.bodies), np.uint32) if environment is None else environment
    names, which = np.unique(of_body, return_inverse=True)
    count = max(1, min(_count(workers), len(names)))
    # As many bodies to each as can be, in whole environments one after another.
    ends = np.cumsum(np.bincount(which, minlength=len(names)))
    part_of = np.minimum((ends - 1) * count // max(len(of_body), 1), count - 1)[which] if len(names) else which
    indices = [found for k in range(count) if len(found := np.flatnonzero(part_of == k)) or len(names) == 0]
    shared = [ray.put(_part(scene, index)) for index in indices]  # kept for workers that take another's place
    waiting: deque[list[_Job]] = deque()
    with _Crew(_FrameWorker, [(part, device, margin, memory_limit) for part in shared], worker_options, tries) as crew:
        for number, (position, orientation) in enumerate(poses):
            if len(waiting) >= window:
                yield _joined([crew.result(job) for job in waiting.popleft()], indices)
            p, q = real(position, "position"), real(orientation, "orientation")
            for array, name, width in ((p, "position", 3), (q, "orientation", 4)):
                if array.shape != (len(of_body), width):
                    raise _oclide.InvalidInputError(
                        f"{name} has shape {array.shape}, but must have ({len(of_body)}, {width})")
            waiting.append([crew.send(k, f"frame {number}", p[index], q[index]) for k, index in enumerate(indices)])
        while waiting:
            yield _joined([crew.result(job) for job in waiting.popleft()], indices)


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
                       for name in OF_BODIES})
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
    contacts, part_of = opaque(contacts)[order].view(CONTACT_DTYPE), part_of[order]
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
