"""Rays and paths from Python: closed forms, arrays of every kind, what is refused."""

import math

import numpy as np
import oclide
import pytest
from conftest import collider_with, two_bodies, upright

DOWN = np.array([0.0, 0.0, -1.0])


def turned(angle, axis=(0.0, 0.0, 1.0)):
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(axis))])


def test_a_ray_hits_what_is_there(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    origin = [[2.0, 5.0, 9.0], [12.0, 5.0, 9.0], [8.0, 5.0, 9.0], [-8.0, 5.0, 9.0], [2.0, 5.0, 0.4]]
    hits = collider.cast(position, orientation, origin, DOWN)
    assert len(hits) == 5 and hits.hit_count == 4 and "4 hits of 5 rays" in repr(hits)
    assert hits.body.tolist() == [0, 1, oclide.TERRAIN, oclide.NOTHING, 0]
    np.testing.assert_allclose(hits.distance, [9 - 0.98, 9 - 0.39, 9.0, np.inf, 0.0], atol=1e-5)
    np.testing.assert_allclose(hits.normal[[0, 1, 2, 4]], np.tile([0, 0, 1], (4, 1)), atol=1e-5)
    np.testing.assert_allclose(hits.point[1], [12.0, 5.0, 0.39], atol=1e-5)
    assert not hits.point[3].any() and not hits.normal[3].any()
    assert hits.material.tolist() == [0, 0, 7, 0, 0] and not hits.shape.any()
    assert (hits.element[[0, 1, 3, 4]] == oclide.NONE).all() and hits.element[2] < 12
    assert hits.milliseconds.total > 0 and "cast=" in repr(hits.milliseconds)


def test_hits_are_views_that_outlive_the_collider(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    hits = collider.cast(position, orientation, [[2.0, 5.0, 9.0]] * 3, DOWN)
    point = hits.point
    for array in (hits.hits, point, hits.distance, hits.normal, hits.body, hits.element, hits.shape, hits.material):
        assert array.flags.writeable and not array.flags.owndata
    assert np.shares_memory(point, hits.hits) and hits.hits.dtype == oclide.HIT_DTYPE
    kept = point.copy()
    collider.cast(position, orientation, [[12.0, 5.0, 9.0]] * 3, DOWN)
    del hits, collider
    np.testing.assert_array_equal(point, kept)


def test_arrays_are_broadcast_and_keep_their_axes(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    x, y = np.linspace(0.5, 14.5, 8), np.linspace(1.0, 9.0, 5)
    origin = np.stack([*np.meshgrid(x, y), np.full((5, 8), 9.0)], axis=-1)
    hits = collider.cast(position, orientation, origin, DOWN)
    assert hits.hits.shape == (5, 8) and hits.point.shape == (5, 8, 3) and len(hits) == 40
    flat = collider.cast(position, orientation, origin.reshape(-1, 3), np.tile(DOWN, (40, 1)))
    assert oclide.hit_hash(hits) == oclide.hit_hash(flat) == oclide.hit_hash(flat.hits)
    near = collider.cast(position, orientation, origin, DOWN, np.arange(8.0) * 2)
    assert (near.body[:, :4] == oclide.NOTHING).all() and (near.body[:, 5:] != oclide.NOTHING).all()
    one = collider.cast(position, orientation, origin[0, 0], DOWN)
    assert one.hits.shape == () and one.distance == pytest.approx(9.0)
    none = collider.cast(position, orientation, np.zeros((0, 3)), np.zeros((0, 3)))
    assert none.point.shape == (0, 3) and none.hit_count == 0
    for other in (origin.astype(np.float32), origin[::-1][::-1], origin.tolist()):
        assert collider.cast(position, orientation, other, DOWN).hit_count == 40


def test_hits_are_validated(device):
    scene, position, orientation = two_bodies()
    rays = {"origin": [[2.0, 5.0, 9.0], [8.0, 5.0, 9.0], [-8.0, 5.0, 9.0]], "direction": DOWN, "length": 20.0}
    hits = collider_with(scene, device).cast(position, orientation, **rays)
    validator = oclide.Validator(scene)
    validator.add_cast(position, orientation, hits, **rays)
    report = validator.ray_report
    assert report.holds and report.rays == 3 and report.hits_device == report.hits_reference == 2
    wrong = hits.hits.copy()
    wrong["distance"][0] += 0.01
    validator.add_cast(position, orientation, wrong, **rays)
    assert not validator.ray_report.holds and validator.ray_report.wrong_hits == 1 and validator.ray_report.examples
    with pytest.raises(oclide.InvalidInputError):
        validator.add_cast(position, orientation, wrong[:2], **rays)


def test_environments_and_masks_choose_what_is_met(device):
    bodies = oclide.Bodies([oclide.Shape.SPHERE] * 2, [[0.5, 0, 0]] * 2, environment=[0, 1], category=[1, 4])
    collider = collider_with(oclide.Scene(bodies), device)
    cast = collider.cast([[0, 0, 0]] * 2, upright(2), [[0, 0, 5]] * 4, DOWN, environment=[0, 1, 2, 1],
                         mask=[1, 6, 7, 3])
    assert cast.body.tolist() == [0, 1, oclide.NOTHING, oclide.NOTHING]


class Foreign:
    """An array of another library, of which NumPy can make one."""

    def __init__(self, values):
        self._values = np.array(values, np.float32)

    def __array__(self, dtype=None, copy=None):
        return self._values if dtype is None else self._values.astype(dtype)


def test_arrays_of_other_libraries_are_taken(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    hits = collider.cast(position, orientation, Foreign([[2.0, 5.0, 9.0]]), Foreign(DOWN), Foreign([8.5]))
    assert hits.body.tolist() == [0]
    paths = collider.trace(position, orientation, Foreign([[2.0, 5.0, 9.0]]), Foreign([[0.0, 0.0, -9.0]]))
    assert paths.body.tolist() == [oclide.NOTHING, 0, oclide.NOTHING]


@pytest.mark.parametrize("change, what", [
    ({"origin": [[0.0, np.nan, 0.0]]}, r"rays/origin\[0\]\[1\]"),
    ({"direction": [[0.0, 0.0, 0.0]]}, r"rays/direction\[0\] is zero"),
    ({"direction": [0.0, 1.0]}, r"direction has shape \(2,\), but must have \(\.\.\., 3\)"),
    ({"direction": np.ones((3, 3))}, "shapes do not go together: origin"),
    ({"length": [-1.0, 1.0]}, r"rays/length\[0\] is negative"),
    ({"length": ["far", "near"]}, "length has dtype"),
    ({"environment": [0, -1]}, r"environment\[1\] is -1"),
    ({"mask": [0.5, 1.0]}, "mask has dtype"),
    ({"origin": np.ma.masked_equal([[1.0, 2.0, 3.0]], 2.0)}, r"origin\[0\]\[1\] is masked"),
    ({"position": [[0.0, 0.0, 0.0]]}, "position"),
])
def test_rays_that_cannot_be_used_are_refused(change, what):
    scene, position, orientation = two_bodies()
    given = {"position": position, "orientation": orientation, "origin": [[2.0, 5.0, 9.0]] * 2, "direction": DOWN}
    collider = collider_with(scene, "reference")
    with pytest.raises(oclide.InvalidInputError, match=what):
        collider.cast(**(given | change))
    assert collider.cast(**given).hit_count == 2
    with pytest.raises(oclide.InvalidInputError, match="HIT_DTYPE"):
        oclide.hit_hash(np.zeros(3))


def test_lidar_sees_the_walls_of_a_room():
    origin, direction = oclide.lidar(5, 72, [[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]], [[1, 0, 0, 0], turned(0.3) * 7])
    assert origin.shape == direction.shape == (2, 5, 72, 3)
    np.testing.assert_allclose(np.linalg.norm(direction, axis=-1), 1.0, atol=1e-14)
    elevation = np.arcsin(direction[..., 2])
    np.testing.assert_allclose(elevation, np.broadcast_to(np.linspace(1, -1, 5)[:, None] * math.pi / 12, (2, 5, 72)),
                               atol=1e-14)
    azimuth = np.arctan2(direction[0, 2, :, 1], direction[0, 2, :, 0])
    np.testing.assert_allclose(np.diff(azimuth), 2 * math.pi / 72, atol=1e-12)
    # Turned by 0.3 rad about the vertical.
    c, s = math.cos(0.3), math.sin(0.3)
    np.testing.assert_allclose(direction[1] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), direction[0], atol=1e-14)
    assert oclide.lidar(1, 1, vertical=(0.2, 0.4))[1][0, 0, 2] == pytest.approx(math.sin(0.3))
    for bad in ((0, 5), (5, 0)):
        with pytest.raises(oclide.InvalidInputError, match="at least 1"):
            oclide.lidar(*bad)
    with pytest.raises(oclide.InvalidInputError, match=r"orientation\[1\] is not finite or of zero length"):
        oclide.lidar(2, 2, np.zeros((2, 3)), [[1, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(oclide.InvalidInputError, match=r"must have \(\.\.\., 4\)"):
        oclide.lidar(2, 2, np.zeros(3), [1, 0, 0])


def test_a_camera_that_looks_down_sees_a_plane_everywhere_at_its_height(device):
    ground = oclide.Terrain(np.zeros((5, 5)), origin=(-50, -50), spacing=(25, 25))
    collider = collider_with(oclide.Scene(oclide.Bodies([], np.zeros((0, 3))), terrains=[ground]), device)
    origin, direction = oclide.depth_camera(16, 12, math.radians(60), (1.0, 2.0, 4.0))
    assert direction.shape == (12, 16, 3)
    hits = collider.cast(np.zeros((0, 3)), np.zeros((0, 4)), origin, direction)
    np.testing.assert_allclose(hits.distance / np.linalg.norm(direction, axis=-1), 4.0, atol=1e-5)
    # The first row is ahead (y), the last column to the right (x); the outermost pixels are half a pixel inside 60
    # degrees.
    reach = 4.0 * math.tan(math.radians(30)) * 15 / 16
    np.testing.assert_allclose(hits.point[:, -1, 0], 1.0 + reach, atol=1e-5)
    assert (hits.point[0, :, 1] > hits.point[-1, :, 1]).all()
    for fov in (0.0, math.pi, math.nan):
        with pytest.raises(oclide.InvalidInputError, match="fov"):
            oclide.depth_camera(4, 4, fov)


def test_a_height_scan_of_many_environments_is_one_cast(device):
    x, y = np.meshgrid(np.arange(41), np.arange(41))
    slopes = [oclide.Terrain(0.1 * k * x + 0.05 * y, origin=(-20, -20)) for k in range(3)]
    bodies = oclide.Bodies([oclide.Shape.BOX] * 3, [[0.3, 0.2, 0.1]] * 3, environment=np.arange(3), category=[2] * 3)
    scene = oclide.Scene(bodies, terrains=slopes, environment_terrain=np.arange(3))
    position = np.array([[0.0, 0.0, 4.0], [2.0, 1.0, 6.0], [-3.0, 4.0, 8.0]])
    orientation = np.array([turned(0.4), turned(2.0), turned(0.1, (0.0, 1.0, 0.0))])
    origin, direction = oclide.height_scan(position, orientation, size=(1.6, 1.0), spacing=0.2)
    assert origin.shape == direction.shape == (3, 6, 9, 3)
    hits = collider_with(scene, device).cast(position, orientation, origin, direction,
                                             environment=np.arange(3)[:, None, None], mask=1)
    assert (hits.body == oclide.TERRAIN).all()
    k = np.arange(3)[:, None, None]
    expected = 0.1 * k * (origin[..., 0] + 20) + 0.05 * (origin[..., 1] + 20)
    np.testing.assert_allclose(hits.point[..., 2], expected, atol=1e-4)
    # Around the body, turned by its yaw alone.
    np.testing.assert_allclose(origin.mean(axis=(1, 2)), position + [0, 0, 10.0], atol=1e-12)
    np.testing.assert_allclose(origin[0, 0, 1] - origin[0, 0, 0], [0.2 * math.cos(0.4), 0.2 * math.sin(0.4), 0],
                               atol=1e-12)
    np.testing.assert_allclose(origin[2, 1, 0] - origin[2, 0, 0], [0, 0.2, 0], atol=1e-12)
    nose = oclide.height_scan(np.zeros(3), turned(math.pi / 2, (0.0, 1.0, 0.0)), size=(0.0, 0.0))[0]
    np.testing.assert_allclose(nose, [[[0, 0, 10]]], atol=1e-12)
    with pytest.raises(oclide.InvalidInputError, match="spacing"):
        oclide.height_scan(position, spacing=0.0)


def test_arguments_of_sensors_that_cannot_be_used_are_refused_by_name():
    at = (0.0, 0.0, 0.0)
    for call, what in (
            (lambda: oclide.height_scan(at, size=(math.inf, 1.0)), r"^size\[0\] is inf, but must be finite$"),
            (lambda: oclide.height_scan(at, size=1.0), r"^size has shape \(\), but must have \(2,\)$"),
            (lambda: oclide.height_scan(at, size=(1.0, math.nan)), r"^size\[1\] is nan"),
            (lambda: oclide.height_scan(at, size=(1.0, 1e300), spacing=1e-300), "^size is .* along an axis$"),
            (lambda: oclide.height_scan(at, spacing="wide"), "^spacing has dtype .*, but must hold real numbers$"),
            (lambda: oclide.height_scan(at, above=math.nan), "^above is nan, but must be finite$"),
            (lambda: oclide.depth_camera("4", 3, 1.0), "^width has dtype .*, but must hold whole numbers$"),
            (lambda: oclide.depth_camera(4, None, 1.0), "^height has dtype object, but must hold whole numbers$"),
            (lambda: oclide.depth_camera(4, 3, "wide"), "^fov has dtype .*, but must hold real numbers$"),
            (lambda: oclide.depth_camera(4, 3, [1.0]), r"^fov has shape \(1,\), but must have \(\)$"),
            (lambda: oclide.lidar(1.5, 3), "^rows has dtype float64, but must hold whole numbers$"),
            (lambda: oclide.lidar(10**30, 3), "^rows has dtype object, but must hold whole numbers$"),
            (lambda: oclide.lidar(1, 1 << 40), "^columns is 1099511627776, but must be at least 1 and at most"),
            (lambda: oclide.lidar(2, 3, vertical=0.5), r"^vertical has shape \(\), but must have \(2,\)$"),
            (lambda: oclide.lidar(2, 3, horizontal=(0.0, math.inf)), r"^horizontal\[1\] is inf, but must be finite$")):
        with pytest.raises(oclide.InvalidInputError, match=what):
            call()
    assert oclide.lidar(np.int32(2), np.uint8(3))[0].shape == (2, 3, 3)


def test_line_of_sight_is_free_where_nothing_is_between(device):
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.SPHERE], [[1.0, 0, 0]], environment=[1]))
    collider = collider_with(scene, device)
    a = np.array([[-5.0, 0, 0], [-5.0, 0, 0], [-5.0, 2, 0], [0.0, 0, 0], [3.0, 0, 0]])
    b = np.array([[5.0, 0, 0], [-1.5, 0, 0], [5.0, 2, 0], [0.0, 0, 9], [3.0, 0, 0]])
    def see(**more):
        return oclide.line_of_sight(collider, [[0, 0, 0]], upright(1), a, b, **more).tolist()
    assert see(environment=1) == [False, True, True, False, True]
    assert see(environment=[1, 1, 1, 0, 1]) == [False, True, True, True, True]
    assert see(environment=1, mask=2) == [True] * 5
    assert oclide.line_of_sight(collider, [[0, 0, 0]], upright(1), a[:, None], b[None], 1).shape == (5, 5)


def test_a_grenade_bounces_between_walls_until_it_lies(device):
    """A room of triangles: a thrown point loses speed at each wall, stays inside, and comes to rest on the floor."""
    corners = np.array([[x, y, z] for x in (0, 6) for y in (0, 4) for z in (0, 3)], float)
    sides = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    room = oclide.Mesh(corners, triangles)
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.TRIANGLE_MESH], np.zeros((1, 3))), meshes=[room])
    collider = collider_with(scene, device)
    step, at, velocity = 0.02, np.array([[1.0, 1.0, 1.5]]), np.array([[9.0, 5.0, 3.0]])
    walls, speeds = 0, []
    for _ in range(400):
        velocity[:, 2] -= 9.81 * step
        paths = collider.trace(np.zeros((1, 3)), upright(1), at, velocity * step, friction=0.3, restitution=0.5)
        assert len(paths) == 1 and paths.end[0] == oclide.PathEnd.ARRIVED
        walls += paths.reflections
        at, velocity = paths.point[-1:], paths.outgoing / step
        assert ((at > 0) & (at < [6, 4, 3])).all()
        speeds.append(np.linalg.norm(velocity))
    assert walls > 8 and speeds[-1] < 0.2 and at[0, 2] < 0.02


def test_a_stone_goes_down_the_slope(device):
    x, y = np.meshgrid(np.arange(0, 81, 2.0), np.arange(0, 21, 2.0))
    slope = oclide.Terrain(40.0 - 0.5 * x + 0.2 * np.sin(x), spacing=(2.0, 2.0))
    collider = collider_with(oclide.Scene(oclide.Bodies([], np.zeros((0, 3))), terrains=[slope]), device)
    nobody = np.zeros((0, 3)), np.zeros((0, 4))
    step, at, velocity = 0.02, np.array([[4.0, y, 45.0] for y in (5.0, 10.0, 15.0)]), np.zeros((3, 3))
    energy = 9.81 * at[:, 2]
    for _ in range(300):
        velocity[:, 2] -= 9.81 * step
        paths = collider.trace(*nobody, at, velocity * step, restitution=0.4, friction=0.002)
        at, velocity = paths.point[paths.offset[1:].astype(int) - 1], paths.outgoing / step
        now = 9.81 * at[:, 2] + 0.5 * (velocity**2).sum(axis=1)
        # Steps of time add and take a little of what falls freely: a step's fall at most.
        assert (now <= energy + 0.5 * (9.81 * step)**2 + 9.81 * 1e-3).all()
        energy = now
    assert (at[:, 0] > 30).all()
    down = collider.cast(*nobody, at + [0, 0, 20.0], DOWN)
    assert (at[:, 2] > down.point[:, 2]).all()


def test_paths_have_the_arrays_of_the_definition(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    point = np.array([[8.0, 5.0, 1.0], [2.0, 5.0, 0.3], [8.0, 5.0, 3.0]])
    paths = collider.trace(position, orientation, point, [[1.0, 0.0, -2.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    assert paths.offset.tolist() == [0, 3, 5, 7] and paths.offset.dtype == np.uint64
    assert paths.end.tolist() == [oclide.PathEnd.ARRIVED, oclide.PathEnd.IN_SOLID, oclide.PathEnd.ARRIVED]
    np.testing.assert_allclose(paths.point[1], [8.5, 5.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(paths.point[2], [9.0, 5.0, 1.0], atol=2e-4)
    assert paths.body.tolist() == [oclide.NOTHING, oclide.TERRAIN] + [oclide.NOTHING] * 5
    np.testing.assert_allclose(paths.normal[1], [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(paths.outgoing, [[1, 0, 2], [0, 0, 1], [0, 0, -1]], atol=1e-6)
    np.testing.assert_array_equal(paths.displacement, [[0, 0, 0], [0, 0, 1], [0, 0, 0]])
    assert paths.points.dtype == oclide.PATH_POINT_DTYPE and not paths.point.flags.owndata
    assert paths.reflections == 1 and paths.casts == 3 and paths.milliseconds.total > 0
    stopped = collider.trace(position, orientation, point[:1], [[1.0, 0.0, -2.0]], bounces=0)
    assert stopped.end.tolist() == [oclide.PathEnd.STOPPED]
    np.testing.assert_allclose(stopped.displacement, [[0.5, 0, -1]], atol=1e-4)
    for change, what in (({"friction": 2.0}, "friction"), ({"restitution": math.nan}, "restitution"),
                         ({"bounces": -1}, r"^bounces is -1, which is outside the range 0 \.\. 4294967295$"),
                         ({"bounces": 1.5}, "^bounces has dtype float64, but must hold whole numbers$"),
                         ({"bounces": [1, 2]}, r"^bounces has shape \(2,\), but must have \(\)$"),
                         ({"friction": "much"}, "^friction has dtype .*, but must hold real numbers$"),
                         ({"restitution": None}, "^restitution has dtype object, but must hold real numbers$"),
                         ({"point": [0.0, 0.0, 1e19]}, r"^points/position\[0\]\[2\] is 3e18 m out or farther$"),
                         ({"environment": [0, 1]}, "shapes do not go together"),
                         ({"displacement": [math.inf, 0, 0]}, r"points/displacement\[0\]\[0\]")):
        given = {"position": position, "orientation": orientation, "point": point, "displacement": [0.0, 0.0, 1.0]}
        with pytest.raises(oclide.InvalidInputError, match=what):
            collider.trace(**(given | change))
