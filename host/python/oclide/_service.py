"""Colliders of a service (`oclide serve`), used as local ones are.

    with oclide.connect("localhost:7411") as service:
        collider = service.collider()
        collider.set_scene(scene)
        frame = collider.collide(position, orientation)

Needs the extra `service`: pip install oclide[service]. See docs/service.md.
"""

from __future__ import annotations

import dataclasses
import importlib
import mmap
import os
import queue
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import (BOOL_DTYPE, CONTACT_DTYPE, EVENT_DTYPE, HIT_DTYPE, IMPACT_DTYPE, INDEX_DTYPE, opaque,
                      query_points, query_shapes, rays, real, whole, with_shape)
from ._arrays import heights as real_heights
from ._oclide import (NOTHING, DeviceError, InvalidInputError, Paths, plain_bodies, plain_scene, plain_terrain,
                      trace_by, warn_of_unused)
from ._scene import DIAGONALS, OF_BODIES, Bodies, Scene, Terrain
from ._tables import to_arrow, to_pandas

_PART = 1 << 20  # bytes of an array in a message
_TYPES = {"float64": 0, "float32": 1, "uint32": 2, "int32": 3, "uint8": 4}
_FIRST_SLOT = 4096  # behind the bytes that show that the memory is ours
_SLOTS = 4  # of shared memory: frames that are on their way or still looked at
_WORLD, _COUNTS = 1, 2
_WINDOW = 8  # requests that a service takes in before one of them is done


class ServiceError(DeviceError):
    """The service cannot be reached, ends, or refuses a session; the message is what gRPC says."""


class LimitError(InvalidInputError):
    """What this client may have of the service does not suffice; the message says of what."""


def _count(value: int, name: str) -> int:
    if not 0 <= value <= 0xFFFFFFFF:
        raise InvalidInputError(f"{name} is {value}")
    return value


def _grpc() -> Any:
    return _module("grpc")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InvalidInputError(
            f"a service is used through grpcio and grpcio-reflection: pip install oclide[service] ({error})") from None


def _arrays(scene: Scene) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and values as host/service/scene_arrays.hpp has them."""
    yield from _terrain_arrays("/terrains", scene.terrains)
    if scene.environment_terrain is not None and len(scene.environment_terrain) > 0:
        yield "/environments/terrain", scene.environment_terrain
    for k, hull in enumerate(scene.hulls):
        yield f"/hulls/{k}/vertices", hull
    for k, mesh in enumerate(scene.meshes):
        yield f"/meshes/{k}/vertices", mesh.vertices
        yield f"/meshes/{k}/triangles", mesh.triangles
        if mesh.material is not None:
            yield f"/meshes/{k}/material", mesh.material
        yield f"/meshes/{k}/solid", np.array([mesh.solid], np.uint8)
    for k, compound in enumerate(scene.compounds):
        for name in ("shape", "size", "position", "orientation"):
            yield f"/compounds/{k}/{name}", getattr(compound, name)
    yield from _body_arrays("/bodies", scene.bodies)


def _terrain_arrays(folder: str, terrains: list[Terrain]) -> Iterator[tuple[str, NDArray[Any]]]:
    for k, terrain in enumerate(terrains):
        at = f"{folder}/{k}"
        yield f"{at}/heights", np.asarray(terrain.heights, np.float64)
        yield f"{at}/origin", np.asarray(terrain.origin, np.float64)
        yield f"{at}/spacing", np.asarray(terrain.spacing, np.float64)
        for name in ("holes", "material"):
            cells = getattr(terrain, name)
            if cells is not None:
                yield f"{at}/{name}", cells
        if terrain.group != 0:
            yield f"{at}/group", np.array([terrain.group], np.int32)
        for name in ("category", "mask"):
            if getattr(terrain, name) != 0xFFFFFFFF:
                yield f"{at}/{name}", np.array([getattr(terrain, name)], np.uint32)
        if terrain.tile_of is not None:
            yield f"{at}/tile_of", np.array([terrain.tile_of], np.int32)
        if terrain.diagonal != DIAGONALS[0]:
            yield f"{at}/diagonal", np.array([DIAGONALS.index(terrain.diagonal)], np.uint32)


def _body_arrays(folder: str, bodies: Bodies) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in ("shape", "size", *OF_BODIES):
        values = getattr(bodies, name)
        if values is not None and (len(values) > 0 or name in ("shape", "size")):
            yield f"{folder}/{name}", values
    if bodies.excluded is not None and len(bodies.excluded) > 0:
        yield f"{folder}/excluded", bodies.excluded
    if bodies.either_mask:
        yield f"{folder}/either_mask", np.array([1], np.uint8)


def _digest(arrays: dict[str, NDArray[Any]]) -> bytes:
    """As digest_of() in host/service/scene_arrays.hpp."""
    import hashlib
    sha = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        sha.update(np.array([len(name.encode()), array.ndim, array.nbytes], "<u8").tobytes())
        sha.update(name.encode())
        sha.update(bytes([_TYPES[array.dtype.name]]))
        sha.update(np.array(array.shape, "<u8").tobytes())
        sha.update(array.tobytes())
    return sha.digest()


class _Slots:
    """Memory shared with the service: some slots, each for the numbers of one request and of its answer."""

    def __init__(self, bytes_in: int, bytes_out: int) -> None:
        import fcntl
        self.bytes_in = -(-bytes_in // 4096) * 4096
        self.bytes_out = -(-bytes_out // 4096) * 4096
        self.size = self.bytes_in + self.bytes_out
        self.file = os.memfd_create("oclide", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.file, _FIRST_SLOT + _SLOTS * self.size)
        fcntl.fcntl(self.file, 1033, 0x0002)  # F_ADD_SEALS, F_SEAL_SHRINK
        self.memory = mmap.mmap(self.file, _FIRST_SLOT + _SLOTS * self.size)
        self.proof = os.urandom(16)
        self.memory[:16] = self.proof
        self.free = list(range(_SLOTS))
        self.lock = threading.Lock()

    @property
    def path(self) -> str:
        return f"/proc/{os.getpid()}/fd/{self.file}"

    def offset_of(self, slot: int) -> int:
        return _FIRST_SLOT + slot * self.size

    def take(self) -> int | None:
        with self.lock:
            return self.free.pop() if self.free else None

    def give_back(self, slot: int) -> None:
        with self.lock:
            self.free.append(slot)

    def close(self) -> None:
        os.close(self.file)  # arrays that are still looked at keep the memory


@dataclasses.dataclass(frozen=True)
class RemoteDevice:
    """A device of a service's machine: what DeviceInfo says of one."""

    id: str
    name: str
    platform: str
    is_gpu: bool
    usable: bool
    memory_bytes: int

    @property
    def is_reference(self) -> bool:
        return self.id == "reference"


class _Milliseconds(float):
    """As the times of a local result: all that is known of them is their total."""

    @property
    def total(self) -> float:
        return float(self)


class RemoteFrame:
    """The contacts of one frame, as Frame has them; see there for its arrays, which are not writable."""

    def __init__(self, contacts: NDArray[np.void], events: NDArray[np.void], previous: NDArray[np.uint32],
                 reply: Any) -> None:
        self.contacts = contacts
        self.events = events
        """With track=True, as Frame.events: dtype oclide.EVENT_DTYPE."""
        self.previous = previous
        """With track=True, as Frame.previous: one a contact."""
        self.pairs: int = reply.pairs
        self.body_pairs: int = reply.body_pairs
        self.count: int = reply.count
        """Contacts, also where counts alone were asked for."""
        self.deepest: float = reply.deepest
        self.milliseconds = _Milliseconds(reply.milliseconds)
        """On the service's device, together with the frames of the same launch."""
        self.together: int = reply.together
        """Sessions whose frames were computed in that launch, this one included."""
        self.body_candidates: int = reply.launch.body_candidates
        """This and what follows as of Frame, of that launch: with what other sessions had in it."""
        self.candidates: int = reply.launch.candidates
        self.unreduced: int = reply.launch.unreduced
        self.moved_bodies: int = reply.launch.moved_bodies
        self.device_bytes: int = reply.launch.device_bytes

    def __len__(self) -> int:
        return len(self.contacts)

    def __repr__(self) -> str:
        return f"<oclide.RemoteFrame: {self.count} contacts of {self.pairs} pairs>"

    def __getitem__(self, index: Any) -> Any:
        return self.contacts[index]

    def __iter__(self) -> Iterator[np.void]:
        return iter(self.contacts)

    def __getattr__(self, name: str) -> Any:
        if name in (CONTACT_DTYPE.names or ()):
            return self.contacts[name]
        raise AttributeError(name)

    def to_pandas(self) -> Any:
        """As Frame.to_pandas()."""
        return to_pandas(self.contacts)

    def to_arrow(self) -> Any:
        """As Frame.to_arrow()."""
        return to_arrow(self.contacts)


class _Records:
    """What a query found, one record a row, and each member by its name."""

    def __init__(self, records: NDArray[np.void], milliseconds: float) -> None:
        self._records = records
        self.milliseconds = _Milliseconds(milliseconds)

    def __len__(self) -> int:
        return self._records.size

    def _found(self) -> int:
        return int(np.count_nonzero(self._records["body"] != NOTHING))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in (self._records.dtype.names or ()):
            return self._records[name]
        raise AttributeError(name)


class RemoteHits(_Records):
    """What rays hit first, as RayHits has it."""

    @property
    def hits(self) -> NDArray[np.void]:
        """In the shape of the rays: dtype oclide.HIT_DTYPE."""
        return self._records

    @property
    def hit_count(self) -> int:
        """Rays that hit anything."""
        return self._found()

    def __repr__(self) -> str:
        return f"<oclide.RemoteHits: {self.hit_count} hits of {len(self)} rays>"


class RemoteImpacts(_Records):
    """The first touch of each pair, as Impacts has it."""

    @property
    def impacts(self) -> NDArray[np.void]:
        """Dtype oclide.IMPACT_DTYPE."""
        return self._records

    def __repr__(self) -> str:
        return f"<oclide.RemoteImpacts: {len(self)} impacts>"

    def to_pandas(self) -> Any:
        """As Impacts.to_pandas()."""
        return to_pandas(self._records)

    def to_arrow(self) -> Any:
        """As Impacts.to_arrow()."""
        return to_arrow(self._records)


class RemoteDistances(_Records):
    """What points are nearest to, as Distances has it."""

    @property
    def nearest(self) -> NDArray[np.void]:
        """In the shape of the points: dtype oclide.HIT_DTYPE."""
        return self._records

    @property
    def near_count(self) -> int:
        """Points that have anything within range."""
        return self._found()

    def __repr__(self) -> str:
        return f"<oclide.RemoteDistances: {self.near_count} of {len(self)} points are near anything>"


class RemoteOverlaps:
    """Which shapes overlap anything, in the shape of the queries: as Overlaps."""

    def __init__(self, overlaps: NDArray[np.bool_], body: NDArray[np.uint32] | None, reply: Any) -> None:
        self.overlaps = overlaps
        self._body = body
        self.overlap_count: int = reply.count
        self.milliseconds = _Milliseconds(reply.milliseconds)

    @property
    def body(self) -> NDArray[np.uint32]:
        """With lowest=True: lowest indices of bodies, oclide.TERRAIN or oclide.NOTHING."""
        if self._body is None:
            raise InvalidInputError("body is there with lowest=True alone")
        return self._body

    def __len__(self) -> int:
        return self.overlaps.size

    def __repr__(self) -> str:
        return f"<oclide.RemoteOverlaps: {self.overlap_count} of {len(self)} queries overlap>"


class RemoteCollider:
    """A Collider of a service. One thread at a time, as a local one. Made by Service.collider()."""

    def __init__(self, service: Service, margin: float, track: bool) -> None:
        self._service = service
        self._margin = float(margin)
        if not (np.isfinite(self._margin) and self._margin >= 0.0):
            raise InvalidInputError("margin must be finite and not negative")
        self._track = bool(track)
        self._call: Any = None
        self._slots: _Slots | None = None
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._next = 1
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._waiting: dict[int, tuple[Future[Any], Callable[[list[Any]], Any], list[Any]]] = {}
        self._room = threading.Semaphore(_WINDOW)
        self._problem: Exception = ServiceError("there is no session: set_scene() begins one")
        self._generation: NDArray[np.uint32] = np.zeros(0, np.uint32)  # of each row
        self._has_body: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.uses_shared_memory = False

    # The stream.

    def _open(self, scene: Scene) -> None:
        self.close()
        self._clear()
        arrays = {name: np.ascontiguousarray(values) for name, values in _arrays(scene)}
        bodies = len(scene.bodies)
        slots = None
        if self._service.is_local and bodies > 0 and hasattr(os, "memfd_create"):
            # Pages of the answer are there when they are written: room for more contacts than most scenes have.
            slots = _Slots(8 * 13 * bodies, 72 * max(16 * bodies, 1 << 16))
        self._slots = slots
        message = self._service.messages
        request = message.Request(id=self._number(), open=message.Open(
            margin=self._margin, track=self._track, scene_digest=_digest(arrays), credit=2 * _SLOTS,
            shared_memory=slots.path if slots else "", shared_memory_proof=slots.proof if slots else b""))
        self._call = self._service.session(iter(self._requests.get, None))
        self._reader = threading.Thread(target=self._read, args=(self._call,), daemon=True, name="oclide-replies")
        self._reader.start()
        try:
            opened = self._ask(request, lambda replies: replies[-1].opened).result()
        except Exception:
            self.close()
            raise
        self.uses_shared_memory = opened.shared_memory
        if not opened.shared_memory and slots is not None:
            slots.close()
            self._slots = None
        self._generation = np.zeros(bodies, np.uint32)
        self._has_body = np.ones(bodies, np.bool_)
        if not opened.known:
            for name, array in arrays.items():
                data = array.tobytes()
                for begin in range(0, max(len(data), 1), _PART):
                    self._requests.put(message.Request(array=message.Array(
                        name=name, type=_TYPES[array.dtype.name], shape=array.shape, data=data[begin:begin + _PART])))
            try:
                self._ask(message.Request(id=self._number(), ready=message.Ready()), lambda replies: None).result()
            except Exception:
                self.close()
                raise

    def _number(self) -> int:
        with self._lock:
            self._next += 1
            return self._next - 1

    def _ask(self, request: Any, finish: Callable[[list[Any]], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # what is on its way cannot be called back
        room = self._room
        room.acquire()  # more would wait on the way
        with self._lock:
            if self._call is None:
                room.release()
                raise self._problem
            self._waiting[request.id] = (future, finish, [])
        self._requests.put(request)
        return future

    def _read(self, call: Any) -> None:
        grpc = _grpc()
        message = self._service.messages
        problem: Exception = ServiceError("the session has ended")
        all_waiting, room = self._waiting, self._room
        try:
            for reply in call:
                future, finish, replies = all_waiting[reply.id]
                replies.append(reply)
                if reply.HasField("frame") and reply.frame.more:
                    continue
                with self._lock:
                    del all_waiting[reply.id]
                if not reply.HasField("opened") and not reply.HasField("scene"):
                    self._requests.put(message.Request(credit=message.Credit(replies=1)))
                room.release()
                if reply.HasField("problem"):
                    kinds = (InvalidInputError, DeviceError, LimitError)
                    future.set_exception(kinds[reply.problem.kind](reply.problem.message))
                    continue
                try:
                    future.set_result(finish(replies))
                except Exception as error:
                    future.set_exception(error)
        except grpc.RpcError as error:
            refused = error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            problem = (LimitError if refused else ServiceError)(f"{error.code().name}: {error.details()}")
        with self._lock:
            if self._call is call:
                self._call, self._problem = None, problem
            waiting = list(all_waiting.values())
            all_waiting.clear()
        room.release()  # who waits learns of the problem, and releases it for the next one
        for future, _, _ in waiting:
            future.set_exception(problem)

    # Numbers on their way.

    def _payload(self, array: NDArray[Any], slot: int | None, used: int) -> tuple[Any, int]:
        message = self._service.messages
        slots = self._slots
        if slots is None or slot is None or used + array.nbytes > slots.bytes_in or array.nbytes == 0:
            return message.Payload(data=array.tobytes()), used
        offset = slots.offset_of(slot) + used
        np.frombuffer(slots.memory, array.dtype, array.size, offset)[:] = array.ravel()
        return message.Payload(offset=offset, bytes=array.nbytes), used + array.nbytes

    def _payloads(self, slot: int | None, **arrays: NDArray[Any] | None) -> dict[str, Any]:
        used, payloads = 0, {}
        for name, array in arrays.items():
            if array is not None:
                payloads[name], used = self._payload(np.ascontiguousarray(array), slot, used)
        if slot is not None and self._slots is not None:
            payloads["room"] = self._service.messages.Payload(
                offset=self._slots.offset_of(slot) + self._slots.bytes_in, bytes=self._slots.bytes_out)
        return payloads

    def _records(self, payload: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        if payload.bytes > 0:
            assert self._slots is not None
            records = np.frombuffer(self._slots.memory, dtype, payload.bytes // dtype.itemsize, payload.offset)
        else:
            records = np.frombuffer(payload.data, dtype)
        records.flags.writeable = False
        return records

    def _frame(self, replies: list[Any], slot: int | None) -> RemoteFrame:
        """A frame in the memory of its slot, which is free again when nobody looks at its contacts any more."""
        last = replies[-1].frame
        parts = [self._records(reply.frame.contacts, CONTACT_DTYPE) for reply in replies]
        contacts = parts[0]
        if len(parts) > 1:
            contacts = np.concatenate([opaque(part) for part in parts]).view(CONTACT_DTYPE)
        contacts.flags.writeable = False
        # What is small is copied: only one array holds the slot.
        events = opaque(self._records(last.events, EVENT_DTYPE)).copy().view(EVENT_DTYPE)
        previous = self._records(last.previous, INDEX_DTYPE).copy()
        if slot is not None:
            slots = self._slots
            assert slots is not None
            if last.contacts.bytes > 0 and len(parts) == 1:
                weakref.finalize(contacts, slots.give_back, slot)  # views keep their base
            else:
                slots.give_back(slot)
        return RemoteFrame(contacts, events, previous, last)

    def _poses(self, position: ArrayLike, orientation: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._call is None:
            raise self._problem
        arrays = with_shape(real(position, "position"), "position", None, 3), with_shape(
            real(orientation, "orientation"), "orientation", None, 4)
        for array, name in zip(arrays, ("position", "orientation")):
            if len(array) != self.rows:
                raise InvalidInputError(f"{name} has {array.size} numbers for {self.rows} bodies")
        return arrays

    # What a local Collider has.

    @property
    def device(self) -> RemoteDevice:
        """The service's device at work."""
        return self._service.device

    def set_scene(self, scene: Scene) -> None:
        """Sends the scene, where the service does not have it already, and begins a session with it."""
        plain = plain_scene(scene)
        self._open(plain)
        warn_of_unused(plain, 2)

    def submit(self, position: ArrayLike, orientation: ArrayLike, *, counts_only: bool = False) -> Future[RemoteFrame]:
        """As collide(), without waiting: a few frames on their way keep the device busy."""
        position, orientation = self._poses(position, orientation)
        message = self._service.messages
        slots = self._slots
        slot = slots.take() if slots is not None else None

        def give_back() -> None:
            if slots is not None and slot is not None:
                slots.give_back(slot)

        frame = message.Frame(layout=_COUNTS if counts_only else _WORLD,
                              **self._payloads(slot, position=position, orientation=orientation))

        try:
            future = self._ask(message.Request(id=self._number(), frame=frame),
                               lambda replies: self._frame(replies, slot))
        except Exception:
            give_back()
            raise
        future.add_done_callback(lambda done: give_back() if done.exception() is not None else None)
        return future

    def collide(self, position: ArrayLike, orientation: ArrayLike, *, counts_only: bool = False) -> RemoteFrame:
        """Contacts of all bodies at these poses: (n, 3) and (n, 4). counts_only: only their numbers come back."""
        return self.submit(position, orientation, counts_only=counts_only).result()

    def update(self, position: ArrayLike, orientation: ArrayLike) -> RemoteFrame:
        """As collide()."""
        return self.collide(position, orientation)

    def cast(self, position: ArrayLike, orientation: ArrayLike, origin: ArrayLike, direction: ArrayLike,
             length: ArrayLike | None = None, environment: ArrayLike | None = None,
             mask: ArrayLike | None = None) -> RemoteHits:
        """What each ray hits first: as Collider.cast()."""
        position, orientation = self._poses(position, orientation)
        *arrays, axes = rays(origin, direction, length, environment, mask)
        message = self._service.messages
        cast = message.Cast(**self._payloads(
            None, position=position, orientation=orientation,
            **dict(zip(("origin", "direction", "length", "environment", "mask"), arrays))))
        reply = self._ask(message.Request(id=self._number(), cast=cast), lambda replies: replies[0].cast).result()
        return RemoteHits(self._records(reply.records, HIT_DTYPE).reshape(axes), reply.milliseconds)

    def sweep(self, position: ArrayLike, orientation: ArrayLike, displacement: ArrayLike | None = None,
              rotation: ArrayLike | None = None) -> RemoteImpacts:
        """The first touch of each pair: as Collider.sweep()."""
        position, orientation = self._poses(position, orientation)

        def moved(values: ArrayLike | None, name: str) -> NDArray[np.float64] | None:
            return None if values is None else with_shape(real(values, name), name, self.rows, 3)

        message = self._service.messages
        sweep = message.Sweep(**self._payloads(
            None, position=position, orientation=orientation, displacement=moved(displacement, "displacement"),
            rotation=moved(rotation, "rotation")))
        reply = self._ask(message.Request(id=self._number(), sweep=sweep), lambda replies: replies[0].sweep).result()
        return RemoteImpacts(self._records(reply.records, IMPACT_DTYPE), reply.milliseconds)

    def overlap(self, position: ArrayLike, orientation: ArrayLike, shape: ArrayLike, size: ArrayLike,
                query_position: ArrayLike, query_orientation: ArrayLike, environment: ArrayLike | None = None,
                mask: ArrayLike | None = None, group: ArrayLike | None = None, *,
                lowest: bool = False) -> RemoteOverlaps:
        """Which shapes overlap the scene: as Collider.overlap()."""
        position, orientation = self._poses(position, orientation)
        names = ("shape", "size", "query_position", "query_orientation", "environment", "mask", "group")
        *arrays, axes = query_shapes(shape, size, query_position, query_orientation, environment, mask, group)
        message = self._service.messages
        overlap = message.Overlap(find_lowest=bool(lowest), **self._payloads(
            None, position=position, orientation=orientation, **dict(zip(names, arrays))))
        reply = self._ask(message.Request(id=self._number(), overlap=overlap),
                          lambda replies: replies[0].overlap).result()
        body = self._records(reply.body, INDEX_DTYPE).reshape(axes) if lowest else None
        return RemoteOverlaps(self._records(reply.overlaps, BOOL_DTYPE).reshape(axes), body, reply)

    def distance(self, position: ArrayLike, orientation: ArrayLike, point: ArrayLike, range: ArrayLike | None = None,
                 environment: ArrayLike | None = None, mask: ArrayLike | None = None) -> RemoteDistances:
        """What each point is nearest to, within range where it is given: as Collider.distance()."""
        position, orientation = self._poses(position, orientation)
        *arrays, axes = query_points(point, range, environment, mask)
        message = self._service.messages
        distance = message.Distance(**self._payloads(
            None, position=position, orientation=orientation,
            **dict(zip(("point", "range", "environment", "mask"), arrays))))
        reply = self._ask(message.Request(id=self._number(), distance=distance),
                          lambda replies: replies[0].distance).result()
        return RemoteDistances(self._records(reply.records, HIT_DTYPE).reshape(axes), reply.milliseconds)

    def trace(self, position: ArrayLike, orientation: ArrayLike, point: ArrayLike, displacement: ArrayLike,
              environment: ArrayLike | None = None, *, bounces: int = 10, friction: float = 0.0,
              restitution: float = 1.0) -> Paths:
        """Moves points that are reflected by what they meet: as Collider.trace(). Each bounce is a cast."""
        def cast(origin: Any, direction: Any, length: Any, environments: Any) -> RemoteHits:
            return self.cast(position, orientation, origin, direction, length, environments)

        position, orientation = self._poses(position, orientation)
        return trace_by(cast, point, displacement, environment, bounces, friction, restitution)

    def update_heights(self, terrain: int, first_row: int, first_col: int, heights: ArrayLike) -> None:
        """Replaces heights of a rectangle of vertices, (rows, cols) [m], for this collider alone; NaN and masked: no
        data."""
        values = with_shape(real_heights(heights, "heights"), "heights", None, None)
        message = self._service.messages
        self._change(heights=message.Heights(
            terrain=_count(terrain, "terrain"), first_row=_count(first_row, "first_row"),
            first_col=_count(first_col, "first_col"),
            rows=values.shape[0], cols=values.shape[1], heights=message.Payload(data=values.tobytes())))

    def update_holes(self, terrain: int, first_row: int, first_col: int, holes: ArrayLike) -> None:
        """Replaces holes of a rectangle of cells, (rows, cols) uint8, for this collider alone."""
        self._update_cells(0, terrain, first_row, first_col, whole(holes, "holes", "uint8"), "holes")

    def update_material(self, terrain: int, first_row: int, first_col: int, material: ArrayLike) -> None:
        """Replaces the material of a rectangle of cells, (rows, cols) uint8, for this collider alone."""
        self._update_cells(1, terrain, first_row, first_col, whole(material, "material", "uint8"), "material")

    def _update_cells(self, kind: int, terrain: int, first_row: int, first_col: int, values: NDArray[np.uint8],
                      name: str) -> None:
        with_shape(values, name, None, None)
        message = self._service.messages
        self._change(cells=message.Cells(
            kind=kind, terrain=_count(terrain, "terrain"), first_row=_count(first_row, "first_row"),
            first_col=_count(first_col, "first_col"), rows=values.shape[0], cols=values.shape[1],
            values=message.Payload(data=values.tobytes())))

    def move_terrain(self, terrain: int, origin: ArrayLike) -> None:
        """Moves a terrain, for this collider alone: its vertex (0, 0) stands at origin, (2,) [m]."""
        numbers = with_shape(real(origin, "origin"), "origin", 2)
        message = self._service.messages
        self._change(move_terrain=message.MoveTerrain(terrain=_count(terrain, "terrain"), x=numbers[0], y=numbers[1]))

    def change_tiles(self, ground: int, *, removed: Iterable[int] = (), added: Iterable[Terrain] = ()) -> list[int]:
        """Tiles of a ground go and come, for this collider alone: as Collider.change_tiles(). Indices of those
        added."""
        gone: NDArray[np.uint32] = with_shape(whole(list(removed), "removed", "uint32"), "removed", None)
        tiles = [plain_terrain(tile, f"added/{k}") for k, tile in enumerate(added)]
        change = self._service.messages.ChangeTiles(ground=_count(ground, "ground"), removed=gone.tolist(),
                                                    added=self._messages_of(_terrain_arrays("/added", tiles)))
        return list(self._change(change_tiles=change).change_tiles.added)

    def change(self, *, removed: ArrayLike | None = None, changed: ArrayLike | None = None,
               become: Bodies | None = None, added: Bodies | None = None, allowed: ArrayLike | None = None,
               excluded: ArrayLike | None = None) -> NDArray[np.uint32]:
        """Bodies come, go and become others, for this collider alone: as Collider.change(). Handles of those added,
        (k, 2)."""
        def handles(values: ArrayLike | None, name: str, *shape: int) -> NDArray[np.uint32]:
            if values is None:
                return np.zeros((0, *shape), np.uint32)
            return with_shape(whole(values, name, "uint32"), name, None, *shape)

        gone, other = handles(removed, "removed", 2), handles(changed, "changed", 2)
        pairs = [(f"/{name}", handles(values, name, 2, 2).reshape(-1, 4))
                 for name, values in (("allowed", allowed), ("excluded", excluded))]
        arrays = {name: array for name, array in (("/removed", gone), ("/changed", other), *pairs) if len(array) > 0}
        for name, bodies in (("become", plain_bodies(become, "become")), ("added", plain_bodies(added, "added"))):
            if len(bodies) > 0:
                arrays.update(_body_arrays(f"/{name}", bodies))
        reply = self._change(change=self._service.messages.Change(arrays=self._messages_of(arrays.items()))).change
        came = np.frombuffer(reply.handles.data, np.uint32).reshape(-1, 2).copy()
        more = reply.rows - self.rows
        self._generation = np.concatenate([self._generation, np.zeros(more, np.uint32)])
        self._has_body = np.concatenate([self._has_body, np.zeros(more, np.bool_)])
        self._has_body[gone[:, 0]] = False
        self._has_body[came[:, 0]] = True
        self._generation[came[:, 0]] = came[:, 1]
        return came

    @property
    def handles(self) -> NDArray[np.uint32]:
        """Of the bodies that there are, by row: (n, 2), row and generation."""
        rows = np.flatnonzero(self._has_body)
        return np.stack([rows.astype(np.uint32), self._generation[rows]], axis=1)

    @property
    def rows(self) -> int:
        """Rows of the scene, those of removed bodies included: poses have as many."""
        return len(self._has_body)

    def _messages_of(self, arrays: Iterable[tuple[str, NDArray[Any]]]) -> list[Any]:
        return [self._service.messages.Array(name=name, type=_TYPES[array.dtype.name], shape=array.shape,
                                             data=array.tobytes())
                for name, array in arrays]

    def _change(self, **what: Any) -> Any:
        return self._ask(self._service.messages.Request(id=self._number(), **what), lambda replies: replies[0]).result()

    def plan(self, position: ArrayLike, orientation: ArrayLike) -> Any:
        """What the scene takes of the service's memory: device_bytes, host_bytes, least_device_bytes, fits, problem."""
        position, orientation = self._poses(position, orientation)
        message = self._service.messages
        plan = message.Plan(position=message.Payload(data=position.tobytes()),
                            orientation=message.Payload(data=orientation.tobytes()))
        return self._ask(message.Request(id=self._number(), plan=plan), lambda replies: replies[0].plan).result()

    def close(self) -> None:
        """Ends the session; the service frees what it had."""
        if self._call is not None:
            self._requests.put(None)
            self._reader.join(timeout=10.0)
            if self._call is not None:
                self._call.cancel()
            self._call = None
        if self._slots is not None:
            self._slots.close()
            self._slots = None

    def __enter__(self) -> RemoteCollider:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()


class Service:
    """A service that was connected to. Made by connect()."""

    def __init__(self, address: str, channel: Any, token: str | None, is_local: bool) -> None:
        grpc = _grpc()
        descriptor_pool = _module("google.protobuf.descriptor_pool")
        message_factory = _module("google.protobuf.message_factory")
        reflection = _module("grpc_reflection.v1alpha.proto_reflection_descriptor_database")
        self.address = address
        self.is_local = is_local
        self._channel = channel
        self._device: RemoteDevice | None = None
        metadata = [("authorization", f"Bearer {token}")] if token is not None else []

        # The service says itself what its messages are.
        pool = descriptor_pool.DescriptorPool(reflection.ProtoReflectionDescriptorDatabase(channel))
        self.messages: Any = types.SimpleNamespace()
        try:
            for name in pool.FindFileContainingSymbol("oclide.v1.Request").message_types_by_name:
                descriptor = pool.FindMessageTypeByName(f"oclide.v1.{name}")
                setattr(self.messages, name, message_factory.GetMessageClass(descriptor))
        except (grpc.RpcError, KeyError) as error:
            details = error.details() if isinstance(error, grpc.RpcError) else "it is no service of oclide"
            channel.close()
            raise ServiceError(f"{address}: {details}") from None
        session = channel.stream_stream("/oclide.v1.Oclide/Session",
                                        request_serializer=lambda request: request.SerializeToString(),
                                        response_deserializer=self.messages.Reply.FromString)
        self.session: Callable[[Iterator[Any]], Any] = lambda requests: session(requests, metadata=metadata)
        devices = channel.unary_unary("/oclide.v1.Oclide/Devices",
                                      request_serializer=lambda request: request.SerializeToString(),
                                      response_deserializer=self.messages.DevicesReply.FromString)
        self._devices: Callable[[], Any] = lambda: devices(self.messages.DevicesRequest(), metadata=metadata)

    def devices(self) -> Any:
        """Devices of the service's machine, and the id of the one at work (`at_work`)."""
        grpc = _grpc()
        try:
            return self._devices()
        except grpc.RpcError as error:
            raise ServiceError(f"{error.code().name}: {error.details()}") from None

    @property
    def device(self) -> RemoteDevice:
        """The one at work."""
        if self._device is None:
            reply = self.devices()
            at_work, = (device for device in reply.devices if device.id == reply.at_work)
            self._device = RemoteDevice(*(getattr(at_work, field.name) for field in dataclasses.fields(RemoteDevice)))
        return self._device

    def collider(self, *, margin: float = 0.0, track: bool = False) -> RemoteCollider:
        """A Collider of the service; its session begins with set_scene(). track: frames have events and previous."""
        return RemoteCollider(self, margin, track)

    def close(self) -> None:
        """Ends all sessions of this connection."""
        self._channel.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<oclide.Service at {self.address}>"


def connect(address: str = "127.0.0.1:7411", *, token: str | None = None, certificate_authority: str | None = None,
            certificate: str | None = None, key: str | None = None) -> Service:
    """Connects to a service.

    address: as `oclide serve --listen` has it. token: one of its tokens, where it asks for one. certificate_authority:
    PEM file of the authority of the service's certificate, which makes the connection TLS; certificate, key: PEM files
    of this client's own, where the service asks for them. Raises ServiceError where nothing answers, InvalidInputError
    for files that cannot be read, for what cannot be a token, or where grpcio is not installed.
    """
    grpc = _grpc()
    if token is not None and not all("!" <= c <= "~" for c in token):
        raise InvalidInputError("token: may have printed characters of ASCII alone, and no spaces")
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1),
               ("grpc.keepalive_time_ms", 20000)]
    host = address.removeprefix("ipv4:").removeprefix("ipv6:")
    is_local = host.startswith(("127.", "localhost:", "[::1]:", "unix:"))
    if certificate_authority is None:
        if certificate is not None or key is not None:
            raise InvalidInputError("certificate and key are of TLS, which certificate_authority makes")
        channel = grpc.insecure_channel(address, options)
    else:
        def pem(file: str | None) -> bytes | None:
            if file is None:
                return None
            try:
                with open(file, "rb") as opened:
                    return opened.read()
            except OSError as error:
                raise InvalidInputError(f"{file}: {error.strerror}") from None

        credentials = grpc.ssl_channel_credentials(pem(certificate_authority), pem(key), pem(certificate))
        channel = grpc.secure_channel(address, credentials, options)
    return Service(address, channel, token, is_local)
