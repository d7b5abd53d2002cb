"""The example scene through the C API by ctypes; prints the hash of all its contacts.

ffi.py LIBRARY DEVICE
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

ROWS, COLS, BODIES, FRAMES = 17, 23, 60, 3


class Settings(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("device", c_char_p), ("cache_directory", c_char_p), ("margin", c_double),
                ("memory_limit", c_uint64), ("track", c_int32), ("no_cache", c_int32)]


def arrays(*fields):
    """An array that goes in: a pointer and the count of its elements."""
    return [pair for name, kind in fields for pair in ((name, POINTER(kind)), (name + "_count", c_size_t))]


class Terrain(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("rows", c_size_t), ("cols", c_size_t), ("origin", c_double * 2),
                ("spacing", c_double * 2)] + arrays(("heights", c_double), ("holes", c_uint8), ("material", c_uint8))


class Bodies(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t)] + arrays(
        ("shape", c_uint8), ("size", c_double), ("environment", c_uint32), ("group", c_int32), ("category", c_uint32),
        ("mask", c_uint32))


class Frame(ctypes.Structure):
    """As much of it as is used here: struct_size tells."""
    _fields_ = [("struct_size", c_size_t), ("contacts", c_void_p), ("contacts_count", c_size_t),
                ("contact_size", c_size_t)]


def example_scene():
    """What example_scene.h makes."""
    state = 5

    def number(count):
        nonlocal state
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (state >> 8) % count

    heights = [number(256) / 1024 for _ in range(ROWS * COLS)]
    holes, material = [], []
    for _ in range((ROWS - 1) * (COLS - 1)):
        holes.append(int(number(16) == 0))
        material.append(number(4))
    size, start, turns = [], [], []
    for _ in range(BODIES):
        size += [(128 + number(384)) / 1024 for _ in range(3)]
        start.append((number(11 * 1024) / 1024, number(8 * 1024) / 1024, (256 + number(768)) / 1024))
        turns += [1 + number(3), number(7) - 3, number(7) - 3, number(7) - 3]
    return heights, holes, material, size, start, turns


def main(library, device):
    c = ctypes.CDLL(library)
    c.oclide_last_message.restype = c.oclide_version.restype = c_char_p
    c.oclide_contact_hash.restype = c_uint64
    c.oclide_contact_hash.argtypes = [c_void_p, c_size_t, c_uint64]

    def must(status):
        if status != 0:
            sys.exit(c.oclide_last_message().decode())

    heights, holes, material, size, start, turns = example_scene()

    def set_array(struct, name, kind, values):
        setattr(struct, name, (kind * len(values))(*values))
        setattr(struct, name + "_count", len(values))

    terrain = Terrain(struct_size=ctypes.sizeof(Terrain), rows=ROWS, cols=COLS, spacing=(0.5, 0.5))
    set_array(terrain, "heights", c_double, heights)
    set_array(terrain, "holes", c_uint8, holes)
    set_array(terrain, "material", c_uint8, material)
    bodies = Bodies(struct_size=ctypes.sizeof(Bodies))
    set_array(bodies, "shape", c_uint8, [b % 4 for b in range(BODIES)])
    set_array(bodies, "size", c_double, size)
    set_array(bodies, "group", c_int32, [int(b % 10 == 0) for b in range(BODIES)])

    scene, collider = c_void_p(), c_void_p()
    must(c.oclide_scene_create(byref(scene)))
    must(c.oclide_scene_add_terrain(scene, byref(terrain), None))
    must(c.oclide_scene_set_bodies(scene, byref(bodies)))
    settings = Settings(struct_size=ctypes.sizeof(Settings), device=device.encode())
    must(c.oclide_collider_create(byref(settings), byref(collider)))
    must(c.oclide_collider_set_scene(collider, scene))
    must(c.oclide_scene_destroy(scene))

    contact_hash, contacts = 0, 0
    orientation = (c_double * (4 * BODIES))(*turns)
    for k in range(FRAMES):
        position = (c_double * (3 * BODIES))(*[v for x, y, z in start for v in (x, y, z - k / 16)])
        frame = Frame(struct_size=ctypes.sizeof(Frame))
        must(c.oclide_collider_collide(collider, position, orientation, c_size_t(BODIES), byref(frame)))
        contact_hash = c.oclide_contact_hash(frame.contacts, frame.contacts_count, contact_hash)
        contacts += frame.contacts_count
    must(c.oclide_collider_destroy(collider))

    # Handles that are gone are told, not followed.
    assert c.oclide_collider_destroy(collider) == 6, "a destroyed handle is OCLIDE_INVALID_HANDLE"
    assert b"collider" in c.oclide_last_message()
    print(f"oclide {c.oclide_version().decode()}\ncontacts {contacts}\ncontact_hash {contact_hash:016x}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
