"""Every array of every constructor and call: what is taken as it is, what is converted, what is refused by name."""

import re

import numpy as np
import oclide
import pytest
from conftest import collider_with, two_bodies, upright

POSITION, ORIENTATION = two_bodies()[1:]
TERRAIN = {"heights": np.arange(12.0).reshape(3, 4), "origin": np.array([1.0, 2.0]), "spacing": np.array([5.0, 4.0]),
           "holes": np.eye(2, 3, dtype=np.uint8), "material": np.full((2, 3), 7, np.uint8)}
BODIES = {"shape": np.array([0, 1], np.uint8), "size": np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 1.0]]),
          "environment": np.array([0, 1], np.uint32), "group": np.array([1, 2], np.int32),
          "category": np.array([1, 2], np.uint32), "mask": np.array([3, 1], np.uint32)}
MESH = {"vertices": np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        "triangles": np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32),
        "material": np.array([1, 2, 3, 100], np.uint8)}
COMPOUND = {"shape": BODIES["shape"], "size": BODIES["size"], "position": POSITION, "orientation": ORIENTATION}
POSES = {"position": POSITION, "orientation": ORIENTATION}


def terrain(**arrays):
    made = oclide.Terrain(**arrays)
    oclide.check(oclide.Scene(oclide.Bodies([], []), terrains=[made]))
    return made.heights, made.origin, made.spacing, made.holes, made.material


def bodies(**arrays):
    made = oclide.Bodies(**arrays)
    oclide.check(oclide.Scene(made))
    return made.shape, made.size, made.environment, made.group, made.category, made.mask


def mesh(**arrays):
    made = oclide.Mesh(**arrays, solid=True)
    oclide.check(oclide.Scene(oclide.Bodies([oclide.Shape.TRIANGLE_MESH], [[0, 0, 0]]), meshes=[made]))
    return made.vertices, made.triangles, made.material


def compound(**arrays):
    made = oclide.Compound(**arrays)
    oclide.check(oclide.Scene(oclide.Bodies([oclide.Shape.COMPOUND], [[0, 0, 0]]), compounds=[made]))
    return made.shape, made.size, made.position, made.orientation


def scene(**arrays):
    made = oclide.Scene(oclide.Bodies([0], [[1, 0, 0]]), terrains=[oclide.Terrain(np.zeros((2, 2)))], **arrays)
    oclide.check(made)
    return made.environment_terrain, *made.hulls


def poses_of(call):
    """`call` of a Collider that has a scene of two bodies, or of something else with one."""
    def contacts(position, orientation):
        made = collider_with(two_bodies()[0], "reference")
        frame = call(made, position, orientation)
        return oclide.contact_hash(frame if frame is not None else made.collide(position, orientation)),
    return contacts


def heights_of(make):
    def replace(heights):
        make(two_bodies()[0]).update_heights(0, 0, 0, heights)
        return ()
    return replace


def add_frame(position, orientation, contacts=None):
    given = collider_with(two_bodies()[0], "reference").collide(POSITION, ORIENTATION) if contacts is None else contacts
    validator = oclide.Validator(two_bodies()[0])
    validator.add_frame(position, orientation, given)
    return validator.report.contacts_device,


@pytest.fixture
def write(tmp_path):
    def written(position, orientation):
        with oclide.SceneWriter(tmp_path / "scene.h5", two_bodies()[0], 1) as writer:
            writer.append(position, orientation)
        return oclide.read_scene(tmp_path / "scene.h5")[0]
    return written


# Call, its arrays, and those of them that may be left out.
CALLS = {
    "Terrain": (terrain, TERRAIN, {"holes", "material"}),
    "Bodies": (bodies, BODIES, {"environment", "group", "category", "mask"}),
    "Mesh": (mesh, MESH, {"material"}),
    "Compound": (compound, COMPOUND, {"position", "orientation"}),
    "Scene": (scene, {"environment_terrain": np.zeros(3, np.int32)}, {"environment_terrain"}),
    "collide": (poses_of(oclide.Collider.collide), POSES, {}),
    "update": (poses_of(oclide.Collider.update), POSES, {}),
    "stage": (poses_of(lambda c, p, q: c.collide_staged(c.stage(p, q))), POSES, {}),
    "plan_memory": (poses_of(lambda c, p, q: oclide.plan_memory(two_bodies()[0], p, q, "reference") and None),
                    POSES, {}),
    "Validator.add_frame": (add_frame, POSES, {}),
    "update_heights": (heights_of(lambda s: collider_with(s, "reference")), {"heights": np.ones((2, 3))}, {}),
    "Validator.update_heights": (heights_of(oclide.Validator), {"heights": np.ones((2, 3))}, {}),
    "SceneWriter.append": ("write", POSES, {}),
}
ARGUMENTS = [(call, name) for call, (_, arrays, _) in CALLS.items() for name in arrays]


@pytest.fixture(params=ARGUMENTS, ids=lambda a: f"{a[0]}-{a[1]}")
def argument(request):
    """What calls it with another value for one of its arrays, that array, its name, and whether it may be None."""
    name = request.param[1]
    call, arrays, optional = CALLS[request.param[0]]
    if isinstance(call, str):
        call = request.getfixturevalue(call)
    return lambda value: call(**{**arrays, name: value}), arrays[name], name, name in optional


def unaligned(a):
    memory = np.zeros(a.nbytes + 1, np.uint8)
    memory[1:] = np.frombuffer(a.tobytes(), np.uint8)
    return memory[1:].view(a.dtype).reshape(a.shape)


def read_only(a):
    made = a.copy()
    made.setflags(write=False)
    return made


LAYOUTS = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(map(tuple, a.tolist())) if a.ndim > 1 else tuple(a.tolist()),
    "columns first": lambda a: np.asfortranarray(a),
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "part of a row": lambda a: np.concatenate([a, a], axis=-1)[..., :a.shape[-1]],
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "not aligned": unaligned,
    "read only": read_only,
    "large": lambda a: a.astype(np.longdouble if a.dtype.kind == "f" else np.int64),
    "small": lambda a: a.astype(np.float16 if a.dtype.kind == "f" else np.int8),
    "whole numbers": lambda a: a.astype(np.int16) if (a == a.astype(np.int16)).all() else a,
    "a subclass": lambda a: a.view(np.recarray),
    "nothing is masked": lambda a: np.ma.masked_array(a, np.zeros(a.shape, bool)),
    "without a mask": np.ma.masked_array,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_gives_what_the_librarys_own_gives(argument, layout):
    call, array, name, _ = argument
    if layout == "small":  # what float16 has of the numbers
        array = array.astype(np.float16).astype(array.dtype)
    for found, wanted in zip(call(LAYOUTS[layout](array)), call(array)):
        assert np.array_equal(found, wanted), name
        if isinstance(wanted, np.ndarray):
            assert found.dtype == wanted.dtype and type(found) is np.ndarray


def masked(a, *where, dtype=None):
    made = np.ma.masked_array(a if dtype is None else a.astype(dtype), np.zeros(a.shape, bool))
    made[where] = np.ma.masked
    return made


REFUSED = {
    "scalar": lambda a: 1.0,
    "whole scalar": lambda a: 3,
    "array without axes": lambda a: np.array(1),
    "text": lambda a: "abc",
    "bytes": lambda a: b"abc",
    "object": lambda a: object(),
    "dictionary": lambda a: {"a": 1},
    "set": lambda a: {1},
    "generator": lambda a: (x for x in a),
    "ragged list": lambda a: [[1.0], [1.0, 2.0]],
    "complex": lambda a: a.astype(complex),
    "strings": lambda a: a.astype(str),
    "objects": lambda a: np.full(a.shape, None, object),
    "numbers beyond 64 bits": lambda a: [2**70] * len(a),
    "times": lambda a: np.zeros(a.shape, "M8[s]"),
    "records": lambda a: np.zeros(a.shape, oclide.CONTACT_DTYPE),
    "one axis more": lambda a: a[None],
    "one axis more at the end": lambda a: a[..., None],
    "one axis fewer": lambda a: a[0],
    "empty": lambda a: a[:0],
    "first axis short": lambda a: a[:-1],
    "first axis long": lambda a: np.concatenate([a, a]),
    "last axis short": lambda a: a[..., :-1],
    "last axis long": lambda a: np.concatenate([a, a], axis=-1),
    "infinite": lambda a: np.full(a.shape, np.inf),
    "not a number": lambda a: np.full(a.shape, np.nan),
    "one is masked": lambda a: masked(a, *(n - 1 for n in a.shape)),
    "one whole number is masked": lambda a: masked(a, *(n - 1 for n in a.shape), dtype=int),
    "list of masked arrays": lambda a: [masked(row, ...) if a.ndim > 1 else np.ma.masked for row in a],
}
LENGTHS = {"first axis short", "last axis short", "first axis long", "last axis long", "empty"}
NO_DATA = {"not a number", "one is masked", "one whole number is masked", "list of masked arrays"}
# Of a mesh: vertices that no triangle has; with other triangles the materials are the wrong ones.
USABLE = {"heights": LENGTHS | NO_DATA, "environment_terrain": LENGTHS, "vertices": {"first axis long"},
          "triangles": {"empty", "first axis short", "first axis long"}}
REFUSALS = [(a, value) for a in ARGUMENTS for value in REFUSED if value not in USABLE.get(a[1], ())]


@pytest.mark.parametrize("argument, value", REFUSALS, indirect=["argument"],
                         ids=[f"{call}-{name}-{value}" for (call, name), value in REFUSALS])
def test_what_cannot_be_used_is_refused_in_one_line_with_its_name(argument, value):
    call, array, name, _ = argument
    with pytest.raises(oclide.InvalidInputError, match=name.replace("environment_terrain", "environment.terrain")) as e:
        call(REFUSED[value](array))
    assert "\n" not in str(e.value) and len(str(e.value)) < 200


def test_none_is_what_was_left_out_or_refused(argument):
    call, _, name, optional = argument
    if optional:
        call(None)
        return
    with pytest.raises(oclide.InvalidInputError, match=f"^{name} has dtype object"):
        call(None)


def test_a_masked_value_is_named():
    for position in (masked(POSITION, 1, 2), POSITION.tolist()[:1] + [[0.0, 0.0, np.ma.masked]]):
        with pytest.raises(oclide.InvalidInputError, match=r"^position\[1\]\[2\] is masked$"):
            collider_with(two_bodies()[0], "reference").collide(position, ORIENTATION)


MASKED_GROUND = {
    "float64": lambda h, m: np.ma.masked_array(h, m),
    "float32": lambda h, m: np.ma.masked_array(h.astype(np.float32), m),
    "other byte order": lambda h, m: np.ma.masked_array(h.astype(">f4"), m),
    "int16": lambda h, m: np.ma.masked_array(h.astype(np.int16), m, fill_value=-9999),
    "rows": lambda h, m: [np.ma.masked_array(row, hidden) for row, hidden in zip(h, m)],
    "masked among numbers": lambda h, m: [[np.ma.masked if hidden else x for x, hidden in zip(*rows)]
                                          for rows in zip(h.tolist(), m)],
}


@pytest.mark.parametrize("kind", MASKED_GROUND)
def test_masked_heights_are_no_data(device, kind):
    mask = np.zeros((5, 6), bool)
    mask[1:4, 1:4] = True
    given = MASKED_GROUND[kind](np.zeros((5, 6)), mask)
    wanted = np.where(mask, np.nan, 0.0)
    ground = oclide.Terrain(given)
    assert np.array_equal(ground.heights, wanted, equal_nan=True)
    made = oclide.Scene(oclide.Bodies([0, 0], [[0.3, 0, 0]] * 2), terrains=[ground])
    position = [[2.5, 2.5, 0.2], [4.5, 2.5, 0.2]]
    collider = collider_with(made, device)
    assert collider.collide(position, upright(2)).body_a.tolist() == [1]
    # The same of what comes later: heights of the whole, and an attribute that was set.
    collider.update_heights(0, 0, 0, np.zeros((5, 6)))
    assert collider.collide(position, upright(2)).body_a.tolist() == [0, 1]
    collider.update_heights(0, 0, 0, given)
    assert collider.collide(position, upright(2)).body_a.tolist() == [1]
    ground.heights = given
    assert collider_with(made, device).collide(position, upright(2)).body_a.tolist() == [1]


def test_contacts_with_a_mask_are_refused():
    contacts = collider_with(two_bodies()[0], "reference").collide(POSITION, ORIENTATION).contacts
    hidden = np.ma.masked_array(contacts)
    hidden[0] = np.ma.masked
    for use in (oclide.contact_hash, lambda c: add_frame(POSITION, ORIENTATION, c)):
        with pytest.raises(oclide.InvalidInputError, match="contacts must be a Frame.*without a mask"):
            use(hidden)


@pytest.mark.parametrize("spacing", [[0.0, 1.0], [1.0, -1.0], [np.nan, 1.0], [1.0, np.inf]])
def test_spacing_is_positive_and_finite(spacing):
    with pytest.raises(oclide.InvalidInputError, match=r"terrains/0/heights: spacing\[[01]\] must be positive"):
        terrain(heights=np.zeros((2, 2)), spacing=spacing)


@pytest.mark.parametrize("name", ["environment", "category", "mask", "shape", "holes", "material"])
def test_what_counts_from_zero_is_not_negative(name):
    call, arrays = (bodies, BODIES) if name in BODIES else (terrain, TERRAIN)
    with pytest.raises(oclide.InvalidInputError, match=rf"^{name}\[1\](\[2\])? is -1, which is outside the range 0"):
        values = arrays[name].astype(int)
        values[(-1,) * values.ndim] = -1
        call(**{**arrays, name: values})


@pytest.mark.parametrize("name", ["terrain", "first_row", "first_col"])
@pytest.mark.parametrize("make", [lambda s: collider_with(s, "reference"), oclide.Validator])
def test_a_place_in_a_terrain_is_not_negative(name, make):
    place = {"terrain": 0, "first_row": 0, "first_col": 0, name: -1}
    with pytest.raises(oclide.InvalidInputError, match=f"^{name} is -1$"):
        make(two_bodies()[0]).update_heights(**place, heights=[[0.0]])


@pytest.mark.parametrize("hulls, text", [
    (np.zeros((4, 3)), r"hulls\[0\] has shape \(3,\), but must have \(n, 3\)"),
    ([np.zeros((4, 3)), np.zeros((4, 2))], r"hulls\[1\] has shape \(4, 2\)"),
    ([masked(np.zeros((4, 3)), 2, 1)], r"hulls\[0\]\[2\]\[1\] is masked"),
    ([np.zeros((4, 3), complex)], r"hulls\[0\] has dtype complex128"),
    ([3.0], r"hulls\[0\] has shape \(\)"),
    (3.0, "hulls must be a list, but is 3.0"),
    (None, "hulls must be a list, but is None"),
])
def test_hulls_are_a_list_of_points(hulls, text):
    with pytest.raises(oclide.InvalidInputError, match=text):
        scene(hulls=hulls)


def test_parts_of_a_scene_are_of_its_classes():
    some = oclide.Bodies([], [])
    for made, text in ((lambda: oclide.Scene(some, terrains=[np.zeros((2, 2))]),
                        "terrains/0 must be an oclide.Terrain"),
                       (lambda: oclide.Scene(some, compounds=[some]), "compounds/0 must be an oclide.Compound"),
                       (lambda: oclide.Scene(some, meshes=[some]), "meshes/0 must be an oclide.Mesh"),
                       (lambda: oclide.Scene(POSITION), "bodies must be an oclide.Bodies"),
                       (lambda: None, "scene must be an oclide.Scene")):
        with pytest.raises(TypeError, match=f"^{text}$"):
            oclide.check(made())
    for name in ("terrains", "meshes", "compounds"):
        with pytest.raises(oclide.InvalidInputError, match=f"^{name} must be a list"):
            oclide.Scene(some, **{name: oclide.Terrain(np.zeros((2, 2)))})


def test_scene_files_are_not_written_with_masked_poses(tmp_path):
    file = tmp_path / "scene.h5"
    for position in (masked(POSITION, 0, 0), np.full((2, 3), np.nan), [POSITION, masked(POSITION, 1, 1)]):
        with pytest.raises(oclide.InvalidInputError, match=re.escape("position[")):
            oclide.write_scene(file, two_bodies()[0], position, ORIENTATION)
    assert list(tmp_path.iterdir()) == []
