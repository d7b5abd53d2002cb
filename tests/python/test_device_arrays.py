"""Arrays that are written to and go on by DLPack; poses, contacts and rays in buffers of an application's on the
device."""

import ctypes
import ctypes.util
import gc
import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "embedding_python.md"
OPENCL = [d for d in oclide.devices() if d.usable and not d.is_reference]


class Application:
    """An application that uses OpenCL by itself: a context and a queue on a device, and buffers in it."""

    def __init__(self, device):
        self.cl = ctypes.CDLL(ctypes.util.find_library("OpenCL") or "libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        code, handle = ctypes.c_int(), ctypes.c_void_p(device.int_ptr)
        self.context = self.cl.clCreateContext(None, 1, ctypes.byref(handle), None, None, ctypes.byref(code))
        assert code.value == 0
        self.queue = self.cl.clCreateCommandQueue(ctypes.c_void_p(self.context), handle, ctypes.c_uint64(0),
                                                  ctypes.byref(code))
        assert code.value == 0

    def buffer(self, array, dtype=np.float32):
        values = np.ascontiguousarray(array, dtype)
        code = ctypes.c_int()
        # CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR
        memory = self.cl.clCreateBuffer(ctypes.c_void_p(self.context), ctypes.c_uint64(1 | 32),
                                        ctypes.c_size_t(values.nbytes),
                                        values.ctypes.data_as(ctypes.c_void_p), ctypes.byref(code))
        assert code.value == 0
        return memory

    def collider(self, scene, **settings):
        collider = oclide.Collider(context=self.context, queue=self.queue, **settings)
        collider.set_scene(scene)
        return collider


@pytest.fixture(scope="module")
def application():
    if not OPENCL:
        pytest.skip("no OpenCL device")
    return Application(OPENCL[0])


def rounded_heap(n):
    """A heap with poses that a float has."""
    scene, position, orientation = heap(n)
    return scene, position.astype(np.float32).astype(np.float64), orientation.astype(np.float32).astype(np.float64)


# ---- arrays in host memory ----

def test_results_are_written_to_and_go_on_by_dlpack_without_a_copy(device):
    scene, position, orientation = heap(40)
    collider = collider_with(scene, device)
    frame = collider.collide(position, orientation)
    hits = collider.cast(position, orientation, position + [0, 0, 5], [0.0, 0.0, -1.0])
    impacts = collider.sweep(position + [0, 0, 3], orientation, np.tile([0.0, 0.0, -4.0], (40, 1)))
    near = collider.distance(position, orientation, position + [0, 0, 5])
    paths = collider.trace(position, orientation, position + [0, 0, 5], np.tile([0.0, 0.0, -9.0], (40, 1)))
    columns = [(frame, name) for name in ("point", "normal", "depth", "body_a", "material", "shape_b", "element")]
    columns += [(hits, "distance"), (hits, "point"), (impacts, "time"), (near, "distance"), (paths, "point"),
                (paths, "offset")]
    for owner, name in columns:
        array = getattr(owner, name)
        assert len(array) > 0, name
        shared = np.from_dlpack(array)
        assert array.flags.writeable and shared.flags.writeable and np.shares_memory(array, shared), name
        shared[...] = 7
        assert (getattr(owner, name) == 7).all(), name
    assert len(np.from_dlpack(collider_with(scene, device).collide(position + 50.0 * np.arange(1, 41)[:, None],
                                                                   orientation).depth)) == 0


def test_torch_takes_results(device):
    torch = pytest.importorskip("torch")
    scene, position, orientation = heap(40)
    frame = collider_with(scene, device).collide(position, orientation)
    depth = torch.from_dlpack(frame.depth)
    depth.clamp_(max=0.001)
    del depth
    assert frame.depth.max() <= np.float32(0.001)


# In a process of its own: jax starts threads, and other tests fork.
WITH_JAX = """
import sys
import jax
import numpy as np
from conftest import collider_with, heap

jax.config.update("jax_platforms", "cpu")
scene, position, orientation = heap(40)
position, orientation = position.astype(np.float32), orientation.astype(np.float32)
collider = collider_with(scene, sys.argv[1])
wanted = collider.collide(position, orientation)
frame = collider.collide(jax.numpy.asarray(position), jax.numpy.asarray(orientation))
assert len(frame) > 0 and frame.contacts.tobytes() == wanted.contacts.tobytes()
assert float(jax.numpy.asarray(frame.depth).max()) == wanted.depth.max()
origin = jax.numpy.asarray(position) + jax.numpy.asarray([0.0, 0.0, 5.0])
hits = collider.cast(position, orientation, origin, jax.numpy.asarray([0.0, 0.0, -1.0]))
# Below a ray is the body that it comes from, or one on top of that.
assert int(jax.numpy.sum(jax.numpy.asarray(hits.body) < 40)) == 40
"""


def test_jax_gives_poses_and_takes_results(device):
    if importlib.util.find_spec("jax") is None:
        pytest.skip("no jax")
    done = subprocess.run([sys.executable, "-c", WITH_JAX, device], cwd=pathlib.Path(__file__).parent,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_frames_of_update_are_written_to_when_they_are_the_callers_own(device):
    scene, position, orientation = heap(40)
    collider = collider_with(scene, device)
    frame = collider.update(position, orientation)
    kept, before = frame.depth, frame.depth.copy()
    with pytest.raises(ValueError, match="read-only"):
        frame.depth[0] = 0
    with pytest.raises(BufferError, match="readonly"):
        frame.depth.__dlpack__()
    following = collider.update(position, orientation)
    frame.depth[:] = 9.0
    assert (kept == 9.0).all() and (following.depth == before).all()
    assert oclide.contact_hash(collider.update(position, orientation)) == oclide.contact_hash(following)


class OnDevice:
    """As tensors of other libraries on a GPU: NumPy cannot have it, and its owner copies it where DLPack asks for that."""

    def __init__(self, array, device_type=2, copies=True):
        self.array, self.device_type, self.copies, self.asked = array, device_type, copies, []

    def __array__(self, *_, **__):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked.append(dl_device)
        if not self.copies:
            raise BufferError("no copies from device to device")
        return (self.array.copy() if dl_device == (1, 0) else self.array).__dlpack__()

    def __dlpack_device__(self):
        return self.device_type, 0


def test_tensors_on_a_gpu_are_copied_by_their_owner(device):
    scene, position, orientation = heap(30)
    collider = collider_with(scene, device)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    for device_type in (2, 10):
        at, turned = OnDevice(position, device_type), OnDevice(orientation, device_type)
        assert oclide.contact_hash(collider.collide(at, turned)) == wanted
        assert at.asked == turned.asked == [(1, 0)]
    down = OnDevice(np.tile([0.0, 0.0, -1.0], (30, 1)))
    origin = position + [0, 0, 5]
    hits = collider.cast(position, orientation, OnDevice(origin), down)
    assert hits.hits.tobytes() == collider.cast(position, orientation, origin, down.array).hits.tobytes()


def test_memory_that_cuda_shares_with_the_host_is_read_where_it_is():
    class Shared:
        def __init__(self, array, device_type):
            self.array, self.device_type = array, device_type

        def __dlpack__(self, **_):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.device_type, 0

    for device_type in (1, 3, 11, 13):
        array = np.arange(6.0).reshape(2, 3)
        assert np.shares_memory(oclide._arrays.real(Shared(array, device_type), "position"), array)


def test_a_tensor_that_cannot_be_copied_is_named(device):
    scene, position, orientation = heap(30)
    collider = collider_with(scene, device)

    class Older(OnDevice):
        def __dlpack__(self, stream=None):
            raise AssertionError("not asked without a device")

    for tensor in (OnDevice(position, copies=False), Older(position)):
        with pytest.raises(oclide.InvalidInputError,
                           match=r"^position is in memory of a CUDA device, and its owner does not copy it to the host: "
                                 r"give a copy in host memory, as by \.cpu\(\) or \.get\(\)$"):
            collider.collide(tensor, orientation)

    class Copies(Older):
        def __array__(self, *_, **__):
            return self.array

    assert len(collider.collide(Copies(position), orientation)) == len(collider.collide(position, orientation))


def test_what_has_dlpack_alone_is_taken(device):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    scene, position, orientation = heap(30)
    collider = collider_with(scene, device)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    assert oclide.contact_hash(collider.collide(Tensor(position), Tensor(orientation))) == wanted


# ---- arrays on the device ----

def test_frames_on_the_device_are_those_in_host_memory(application):
    scene, position, orientation = rounded_heap(60)
    collider = application.collider(scene)
    frame = collider.collide_on_device(application.buffer(position), application.buffer(orientation))
    wanted = collider_with(scene, OPENCL[0].id).collide(position, orientation)
    assert len(frame) == len(wanted) > 10
    assert oclide.contact_hash(collider.to_host()) == oclide.contact_hash(wanted)
    frame.wait()
    contacts = frame.contacts.get()
    assert contacts.dtype == oclide.DEVICE_CONTACT_DTYPE and contacts.flags.writeable
    for name in ("normal", "depth", "body_a", "body_b", "feature", "manifold", "element", "material"):
        assert (contacts[name] == wanted.contacts[name]).all(), name
    assert np.allclose(position[contacts["origin"]] + contacts["point"], wanted.point, rtol=0, atol=1e-6)
    offsets = frame.contact_offsets.get()
    assert (offsets == np.searchsorted(wanted.body_a, np.arange(61))).all()
    counts = frame.counts.get()[0]
    assert (counts["contacts"], counts["manifolds"]) == (len(wanted), len(frame.manifolds))
    manifolds = frame.manifolds.get()
    assert manifolds["count"].sum() == len(wanted)
    assert (contacts["body_a"][manifolds["first"]] == manifolds["body_a"]).all()
    assert frame.events is None and frame.ready > 0 and frame.contacts.int_ptr > 0
    assert "struct oclide_device_contact" in oclide.device_layout()
    apart = collider.collide_on_device(application.buffer(position + 50.0 * np.arange(1, 61)[:, None]),
                                       application.buffer(orientation))
    apart.wait()
    assert len(apart) == 0 and apart.contacts.get().shape == (0,) and not apart.contact_offsets.get().any()


def test_frames_on_the_device_are_followed(application):
    scene, position, orientation = rounded_heap(30)
    collider = application.collider(scene, track=True)
    at, turned = application.buffer(position), application.buffer(orientation)
    first = collider.collide_on_device(at, turned)
    assert (first.events.get()["change"] == 0).all()
    frame = collider.collide_on_device(at, turned)
    assert (frame.events.get()["change"] == 1).all() and (frame.previous.get() == np.arange(len(frame))).all()
    assert frame.user_slots.get().shape == (len(frame), 4) and not frame.user_slots.get().any()


def test_rays_on_the_device_hit_what_rays_in_host_memory_hit(application):
    scene, position, orientation = rounded_heap(40)
    collider = application.collider(scene)
    at, turned = application.buffer(position), application.buffer(orientation)
    aside = np.column_stack([np.arange(40) % 3 * 0.5, np.zeros(40), np.full(40, 4.0)])
    origin = (position + aside).astype(np.float32).astype(np.float64)
    down = np.tile([0.0, 0.0, -1.0], (40, 1))
    wanted = collider.cast(position, orientation, origin, down, length=8.0)
    assert 0 < wanted.body.tolist().count(oclide.TERRAIN) < 40
    length = np.full(40, 8.0)
    frame = collider.collide_on_device(at, turned)
    on_device = [application.buffer(a) for a in (origin, down, length)]
    mask = application.buffer(np.full(40, 0xFFFFFFFF), np.uint32)
    cast = collider.cast_on_device
    for call in (lambda: cast(None, None, *on_device, mask=mask, count=40),
                 lambda: cast(at, turned, *on_device, count=40),
                 lambda: cast(at, turned, origin.reshape(4, 10, 3), down[0], 8.0),
                 lambda: cast(position, orientation, *on_device, count=40, wait_for=[frame.ready])):
        found = call()
        found.wait()
        hits = found.hits.get()
        assert found.hits.shape in ((40,), (4, 10)) and hits.shape == found.hits.shape and len(found) == 40
        hits = hits.reshape(-1)
        assert (hits["body"] == wanted.body).all() and (hits["normal"] == wanted.normal).all()
        assert (hits["distance"].astype(np.float64) + hits["distance_low"] == wanted.distance).all()
    assert (collider.cast(at, turned, origin, down, 8.0).hits == wanted.hits).all()
    assert len(frame.contacts.get()) == len(frame), "contacts stay during casts"


def test_sweeps_on_the_device_are_those_in_host_memory(application):
    scene, position, orientation = rounded_heap(40)
    collider = application.collider(scene)
    at, turned = application.buffer(position), application.buffer(orientation)
    fall, spin = np.tile([0.0, 0.0, -2.0], (40, 1)), np.tile([0.5, 0.25, 0.0], (40, 1))
    wanted = collider.sweep(position, orientation, fall, spin)
    assert len(wanted) > 10 and 0 < (wanted.body_b == oclide.TERRAIN).sum() < len(wanted)
    motion = [application.buffer(fall), application.buffer(spin)]
    first = collider.sweep_on_device(at, turned, *motion)
    kept = first.impacts
    found = collider.sweep_on_device(None, None, *motion, wait_for=[first.ready])
    with pytest.raises(oclide.InvalidInputError, match="impacts is gone: the Collider has begun another query"):
        kept.get()
    found.wait()
    impacts = found.impacts.get()
    assert len(found) == len(wanted) and impacts.shape == (len(wanted),) and impacts.dtype == oclide.DEVICE_IMPACT_DTYPE
    for name in ("body_a", "body_b", "shape_a", "element", "material", "normal"):
        assert (impacts[name] == wanted.impacts[name]).all(), name
    assert (impacts["time"].astype(np.float64) + impacts["time_low"] == wanted.time).all()
    assert len(collider.sweep_on_device(at, turned,
                                        displacement=motion[0])) == len(collider.sweep(position, orientation, fall))
    spin[3, 1] = np.nan
    with pytest.raises(oclide.InvalidInputError, match=r"rotation\[3\] is not finite"):
        collider.sweep_on_device(at, turned, rotation=application.buffer(spin))


def test_user_slots_outlive_a_call_that_is_refused(application):
    scene, position, orientation = rounded_heap(20)
    collider = application.collider(scene, track=True)
    collider.collide(position, orientation)
    collider.user_slots()[:] = 3.0
    with pytest.raises(oclide.InvalidInputError, match="orientation"):
        collider.collide_on_device(application.buffer(position), application.buffer(orientation[:9]))
    collider.collide(position, orientation)
    assert len(collider.user_slots()) > 0 and (collider.user_slots() == 3.0).all()


def test_what_is_gone_is_refused(application):
    scene, position, orientation = rounded_heap(10)
    collider = application.collider(scene)
    at, turned = application.buffer(position), application.buffer(orientation)
    frame = collider.collide_on_device(at, turned)
    contacts = frame.contacts
    collider.collide(position, orientation)
    for use in (contacts.get, lambda: contacts.int_ptr, lambda: frame.contacts):
        with pytest.raises(oclide.InvalidInputError, match="contacts is gone: the Collider has begun another frame"):
            use()
    with pytest.raises(oclide.InvalidInputError, match="to_host"):
        collider.to_host()
    hits = collider.cast_on_device(at, turned, position, [0.0, 0.0, -1.0])
    kept = hits.hits
    collider.cast(position, orientation, position, [0.0, 0.0, -1.0])
    with pytest.raises(oclide.InvalidInputError, match="hits is gone: the Collider has begun another query"):
        kept.get()
    frame = collider.collide_on_device(at, turned)
    collider.set_scene(scene)
    with pytest.raises(oclide.InvalidInputError, match="gone"):
        frame.counts
    frame = collider.collide_on_device(at, turned)
    del collider
    gc.collect()
    frame.wait()
    with pytest.raises(oclide.InvalidInputError, match="gone"):
        frame.counts


def test_wrong_handles_are_refused_where_opencl_knows(application):
    scene, position, orientation = rounded_heap(10)
    collider = application.collider(scene)
    other = Application(OPENCL[0])
    at, turned = application.buffer(position), application.buffer(orientation)
    for arguments, text in (((at, other.buffer(orientation)), "orientation is a buffer of another context"),
                            ((application.buffer(position[:9]), turned), "position has 108 bytes, 120 are 3 floats"),
                            ((0, turned), "position must be a handle of OpenCL, .* but is 0"),
                            (("a", turned), "position must be a handle of OpenCL"),
                            ((position, turned),
                             r"position has dtype float64 and shape \(10, 3\), but must have float32"),
                            ((-1, turned), "position must be a handle")):
        with pytest.raises(oclide.InvalidInputError, match=text):
            collider.collide_on_device(*arguments)
    frame = collider.collide_on_device(at, turned)
    with pytest.raises(oclide.InvalidInputError, match="position has dtype .* must have float32"):
        collider.collide_on_device(frame.contacts, turned)
    with pytest.raises(oclide.InvalidInputError, match=r"wait_for\[0\] must be a handle"):
        collider.collide_on_device(at, turned, wait_for=[None])
    with pytest.raises(oclide.InvalidInputError, match="count"):
        collider.cast_on_device(at, turned, at, at)
    down = [0.0, 0.0, -1.0]
    for given, text in (({"position_low": at},
                         "position_low goes with buffers on the device, but position is in host memory"),
                        ({"origin_low": at}, "origin_low goes with .* but origin is"),
                        ({"count": 3}, "count goes with")):
        with pytest.raises(oclide.InvalidInputError, match=text):
            collider.cast_on_device(position, orientation, position, down, **given)
    with pytest.raises(oclide.InvalidInputError, match="queue is one of another context"):
        oclide.Collider(context=application.context, queue=other.queue)
    with pytest.raises(oclide.InvalidInputError, match="queue must be a handle"):
        oclide.Collider(context=application.context)
    with pytest.raises(oclide.InvalidInputError,
                       match="collide_on_device: arrays on the device need a Collider with context= and queue="):
        collider_with(scene, OPENCL[0].id).collide_on_device(at, turned)
    with pytest.raises(oclide.InvalidInputError, match="reference"):
        oclide.devices()[-1].int_ptr
    assert len(collider.collide_on_device(at, turned)) == len(collider.to_host())


def test_pyopencl_gives_and_takes():
    cl = pytest.importorskip("pyopencl")
    array = pytest.importorskip("pyopencl.array")
    if not OPENCL:
        pytest.skip("no OpenCL device")
    scene, position, orientation = rounded_heap(40)
    names = {"scene": scene, "position": position, "orientation": orientation}
    exec(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[-1], names)
    queue, collider, turned = names["queue"], names["collider"], names["turned"]
    wanted = collider_with(scene, OPENCL[0].id).collide(position, orientation)
    assert oclide.contact_hash(collider.to_host()) == oclide.contact_hash(wanted)
    assert (names["depth"].get() == wanted.depth).all() and len(wanted) > 0
    bare = cl.Buffer(names["context"], cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                     hostbuf=orientation.astype(np.float32))
    event = cl.enqueue_marker(queue)
    frame = collider.collide_on_device(names["at"], bare, wait_for=(each for each in [event]))
    cl.Event.from_int_ptr(frame.ready).wait()
    assert (frame.contacts.get()["depth"] == wanted.depth).all()
    at = names["at"]
    with pytest.raises(oclide.InvalidInputError, match="position must begin where its buffer does"):
        collider.collide_on_device(at[1:], turned)
    with pytest.raises(oclide.InvalidInputError, match="position has 80 rows, the scene has 40"):
        collider.collide_on_device(array.to_device(queue, np.tile(position.astype(np.float32), (2, 1))), turned)
    with pytest.raises(oclide.InvalidInputError, match="position has dtype float64"):
        collider.collide_on_device(array.to_device(queue, position), turned)
