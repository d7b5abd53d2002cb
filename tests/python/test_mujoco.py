"""Contacts of MuJoCo models beside MuJoCo's own: which pairs meet, how deep, and which way the normal points.

What is compared is a pair's deepest contact, for the engines choose points of their own for a manifold. Two bodies: the
depth is how far they overlap along the normal, and the least of that over all normals. MuJoCo's is so too but for some
pairs of a capsule or cylinder (6 of 300 here), where its depth is less than the overlap along its own normal; these are
held against the overlap alone. On a height field both mean the depth under the surface, but for a box, of which MuJoCo
tells the least penetration into a prism of the field, oclide the depth under the face or over the vertex in it.
"""

import warnings

import numpy as np
import oclide
import pytest
from conftest import DEVICES

mujoco = pytest.importorskip("mujoco")

# A pair that one alone has is no deeper than this [m]: engines round differently where bodies only touch.
TOUCH = 1e-5
# Depths agree within this [m]: MuJoCo's general convex algorithm ends at a tolerance of 1e-6.
DEPTH = 2e-5


def by_pair(contacts):
    """Geoms -> (distance, normal) of the deepest contact."""
    pairs = {}
    for contact in contacts:
        key = tuple(contact["geom"].tolist())
        if key not in pairs or contact["dist"] < pairs[key][0]:
            pairs[key] = (float(contact["dist"]), contact["normal"])
    return pairs


def of_mujoco(data):
    """mjData.contact in oclide's layout, the smaller type, then id, first."""
    contacts = np.zeros(data.ncon, oclide._mujoco.MUJOCO_CONTACT_DTYPE)
    if data.ncon:
        contacts["geom"] = data.contact.geom
        contacts["dist"] = data.contact.dist
        contacts["pos"] = data.contact.pos
        contacts["normal"] = data.contact.frame[:, :3]
    return contacts


def both(model, data, device="auto"):
    """Pairs of oclide, pairs of MuJoCo, and the world."""
    mujoco.mj_fwdPosition(model, data)
    world = oclide.from_mujoco(model, data)
    collider = oclide.Collider(device)
    collider.set_scene(world.scene)
    return by_pair(world.contacts(collider.collide(*world.poses(data)))), by_pair(of_mujoco(data)), world


def vertices(model, geom):
    mesh = model.geom_dataid[geom]
    first = model.mesh_vertadr[mesh]
    return model.mesh_vert[first:first + model.mesh_vertnum[mesh]].reshape(-1, 3)


def overlap(model, data, pair, normal):
    """How far geom pair[1] must move along the normal to be clear of pair[0]: by the extents of the shapes."""
    def extent(geom, direction):
        x, y, z = data.geom_xmat[geom].reshape(3, 3).T @ direction
        size = model.geom_size[geom]
        reach = {
            mujoco.mjtGeom.mjGEOM_SPHERE: lambda: size[0],
            mujoco.mjtGeom.mjGEOM_BOX: lambda: np.abs([x, y, z]) @ size,
            mujoco.mjtGeom.mjGEOM_CAPSULE: lambda: size[0] + abs(z) * size[1],
            mujoco.mjtGeom.mjGEOM_CYLINDER: lambda: size[0] * np.hypot(x, y) + abs(z) * size[1],
            mujoco.mjtGeom.mjGEOM_PLANE: lambda: 0.0 if z > 1.0 - 1e-9 else np.inf,
            mujoco.mjtGeom.mjGEOM_MESH: lambda: (vertices(model, geom) @ [x, y, z]).max(),
        }[mujoco.mjtGeom(int(model.geom_type[geom]))]
        return data.geom_xpos[geom] @ direction + reach()

    normal = normal / np.linalg.norm(normal)
    return extent(pair[0], normal) + extent(pair[1], -normal)


def agree(model, data, ours, theirs):
    """How many pairs were compared, and how many of these with MuJoCo's depth and normal."""
    for pair in ours.keys() ^ theirs.keys():
        alone = (ours.get(pair) or theirs[pair])[0]
        assert alone > -TOUCH, f"{pair}: {'ours' if pair in ours else 'theirs'} alone, {-alone:.2e} m deep"
    common = ours.keys() & theirs.keys()
    alike = 0
    for pair in common:
        (distance, normal), (their_distance, their_normal) = ours[pair], theirs[pair]
        assert overlap(model, data, pair, normal) == pytest.approx(-distance, abs=1e-6), pair
        if overlap(model, data, pair, their_normal) == pytest.approx(-their_distance, abs=DEPTH):
            alike += 1
            assert distance == pytest.approx(their_distance, abs=DEPTH), pair
            if their_distance < -1e-4:
                assert normal @ their_normal > 0.99, pair
        else:
            assert -distance < overlap(model, data, pair, their_normal) + DEPTH, pair
    return len(common), alike


SHAPES = {"sphere": "0.1", "box": "0.12 0.08 0.1", "capsule": "0.07 0.1", "cylinder": "0.1 0.08"}


def falling(count, ground, seed, area=0.3):
    """Primitives of all kinds above some ground."""
    random = np.random.default_rng(seed)
    kinds = list(SHAPES)
    bodies = ""
    for k in range(count):
        kind = kinds[k % 4]
        x, y = random.uniform(-area, area, 2)
        turn = " ".join(f"{q:.6f}" for q in random.normal(size=4))
        bodies += (f'<body pos="{x:.4f} {y:.4f} {0.4 + 0.12 * k:.4f}" quat="{turn}"><freejoint/>'
                   f'<geom name="{kind}{k}" type="{kind}" size="{SHAPES[kind]}"/></body>')
    return f"<mujoco>{ground[0]}<worldbody>{ground[1]}{bodies}</worldbody></mujoco>"


PLANES = ("", '<geom name="floor" type="plane" size="5 5 1"/>'
              '<geom name="wall" type="plane" size="5 5 1" pos="0.7 0 0" euler="0 -60 0"/>')


@pytest.mark.parametrize("device", DEVICES)
def test_one_of_each_shape_on_a_plane(device):
    geoms = "".join(f'<body pos="{k} 0 {z}"><freejoint/><geom type="{kind}" size="{SHAPES[kind]}"/></body>'
                    for k, (kind, z) in enumerate(zip(SHAPES, (0.09, 0.095, 0.16, 0.07))))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="5 5 1"/>{geoms}</worldbody></mujoco>')
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data, device)
    assert agree(model, data, ours, theirs) == (4, 4) and ours.keys() == theirs.keys()
    assert world.left_out == [] and world.notes == []
    for _, normal in ours.values():
        assert normal == pytest.approx([0, 0, 1], abs=1e-6)  # from the plane, whose type comes first


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_primitives_that_fall_onto_planes_and_each_other(seed):
    model = mujoco.MjModel.from_xml_string(falling(24, PLANES, seed))
    data = mujoco.MjData(model)
    compared = np.zeros(2, int)
    for _ in range(8):
        mujoco.mj_step(model, data, 100)
        ours, theirs, _ = both(model, data)
        compared += agree(model, data, ours, theirs)
    assert compared[0] > 100 and compared[1] > 0.95 * compared[0]


@pytest.mark.parametrize("seed", [6, 7, 8])
def test_margins_and_gaps_are_those_of_mujoco(seed):
    """Spheres alone, whose distances both have to the last digits, near planes, a height field and each other."""
    random = np.random.default_rng(seed)
    of_pairs, balls = "", ""
    for k in range(40):
        x, y, z = random.uniform([-0.35, -0.35, 0.05], [0.35, 0.35, 0.35])
        least = -0.03 if seed == 8 else 0.0
        margin = f'margin="{random.uniform(least, 0.08):.4f}"' if k % 3 else ""
        gap = f'gap="{random.uniform(0.0, 0.05):.4f}"' if k % 4 == 0 else ""
        balls += (f'<body pos="{x:.4f} {y:.4f} {z:.4f}"><freejoint/><geom name="g{k}" size="0.06" {margin} {gap}/>'
                  '</body>')
        if seed != 6 and k % 5 == 0:
            of_pairs += f'<pair geom1="g{k}" geom2="g{(k + 7) % 40}" margin="{random.uniform(0.0, 0.6):.4f}"/>'
            of_pairs += f'<pair geom1="g{k}" geom2="floor" margin="{random.uniform(0.0, 0.2):.4f}" gap="0.01"/>'
        if seed == 7 and k % 5 == 1:
            of_pairs += f'<pair geom1="g{k}" geom2="field" margin="{0.02 * k:.2f}"/>'
    field = ('<asset><hfield name="flat" nrow="5" ncol="5" size="1 1 0.1 0.5"/></asset>',
             '<geom name="field" type="hfield" hfield="flat" margin="0.02"/>') if seed == 7 else ("", "")
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco>{field[0]}<worldbody>{field[1]}<geom name="floor" type="plane" size="5 5 1" margin="0.01"/>
        <geom type="plane" size="5 5 1" pos="0.7 0 0" euler="0 -60 0" gap="0.03"/>{balls}</worldbody>
        <contact>{of_pairs}</contact></mujoco>""")
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data)
    assert len(theirs) > 60
    assert sum(distance > 0.0 for distance, _ in theirs.values()) > 20
    assert (world.scene.bodies.margin > 0.0).any()
    reach = {tuple(sorted(pair)): margin + gap for pair, margin, gap in
             zip(np.stack([model.pair_geom1, model.pair_geom2], 1).tolist(), model.pair_margin, model.pair_gap)}
    of_geom = model.geom_margin + model.geom_gap
    for pair in ours.keys() ^ theirs.keys():  # at the margin itself rounding decides
        distance = (ours.get(pair) or theirs[pair])[0]
        assert distance == pytest.approx(reach.get(tuple(sorted(pair)), of_geom[list(pair)].sum()), abs=1e-5), pair
    for pair in ours.keys() & theirs.keys():
        assert ours[pair][0] == pytest.approx(theirs[pair][0], abs=DEPTH), pair


def hills(rows, cols, seed):
    """Heights that a plane goes through each cell's corners of: sums of a function of x and one of y."""
    random = np.random.default_rng(seed)
    heights = random.uniform(0.0, 0.12, (rows, 1)) + random.uniform(0.0, 0.12, (1, cols))
    return (heights - heights.min()) / np.ptp(heights), float(np.ptp(heights))


def on_hills(seed, warped=False):
    heights, scale = hills(9, 13, seed)
    if warped:
        heights[4, 6] += 0.2
    field = ('<asset><hfield name="hills" nrow="9" ncol="13" size="1.2 0.8 ' + f'{scale:.6f}' + ' 0.5"/></asset>',
             '<geom name="ground" type="hfield" hfield="hills" pos="0.1 -0.2 0.05"/>')
    model = mujoco.MjModel.from_xml_string(falling(16, field, seed, area=0.6))
    model.hfield_data[:] = heights.ravel()
    return model


@pytest.mark.parametrize(("seed", "warped"), [(4, False), (5, True)])
def test_primitives_that_fall_onto_a_height_field(seed, warped):
    model = on_hills(seed, warped)
    data = mujoco.MjData(model)
    boxes = others = 0
    for _ in range(6):
        mujoco.mj_step(model, data, 150)
        ours, theirs, world = both(model, data)
        ground = world.terrain_geom
        assert ground == mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "ground")
        agree(model, data, *({p: v for p, v in pairs.items() if ground not in p} for pairs in (ours, theirs)))
        for pair in (p for p in ours.keys() | theirs.keys() if ground in p):
            (distance, normal), (their_distance, their_normal) = (
                pairs.get(pair, (0.0, np.array([0.0, 0.0, 1.0]))) for pairs in (ours, theirs))
            # From the ground, whose type comes first, up.
            assert normal[2] > 0.5 and their_normal[2] > 0.5, pair
            if model.geom_type[pair[1]] == mujoco.mjtGeom.mjGEOM_BOX:
                boxes += 1
                assert distance < their_distance + 1e-4, pair
            else:
                others += 1
                assert distance == pytest.approx(their_distance, abs=1e-4), pair
                assert their_distance > -1e-4 or normal @ their_normal > 0.8, pair
    assert boxes > 10 and others > 30


def test_a_height_field_is_cut_along_the_same_diagonals():
    random = np.random.default_rng(9)
    model = on_hills(4)
    model.hfield_data[:] = random.uniform(0.0, 1.0, model.hfield_data.shape)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = oclide.from_mujoco(model)
    assert any("base" in note for note in world.notes)
    terrain = world.scene.terrains[0]
    assert terrain.heights.shape == (9, 13) and terrain.diagonal == "rising"
    assert terrain.origin == pytest.approx((0.1 - 1.2, -0.2 - 0.8)) and terrain.spacing == pytest.approx((0.2, 0.2))
    ground = oclide.Scene(oclide.Bodies([oclide.Shape.SPHERE], [[0.1, 0.0, 0.0]]), terrains=[terrain])
    x, y = random.uniform(-1.05, 1.25, 60), random.uniform(-0.95, 0.55, 60)
    origin = np.stack([x, y, np.full(60, 5.0)], axis=1)
    down = np.array([0.0, 0.0, -1.0])
    geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "ground")
    theirs = [mujoco.mj_rayHfield(model, data, geom, start, down) for start in origin]
    collider = oclide.Collider(DEVICES[0])
    collider.set_scene(ground)
    hits = collider.cast([[50.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0]], origin, down)
    assert hits.distance == pytest.approx(np.array(theirs), abs=1e-5)


ROBOT = """<mujoco><compiler autolimits="true"/><worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <geom name="post" type="box" size="0.1 0.1 0.5" pos="0 0 0.3"/>
  <body name="hull" pos="0 0 0.09"><freejoint/>
    <geom name="hull" type="box" size="0.4 0.2 0.1"/><geom name="mast" type="capsule" size="0.05 0.3"/>
    <body name="arm" pos="0.1 0 0.05"><joint type="hinge" axis="0 1 0"/><geom name="arm" type="sphere" size="0.25"/>
      <body name="hand" pos="0 0 0.05"><joint type="hinge" axis="0 1 0"/>
        <geom name="hand" type="sphere" size="0.2"/>
        <body name="tool"><geom name="tool" type="cylinder" size="0.15 0.15"/></body>
      </body></body></body>
  <body name="ghost" pos="0 0 0.1"><freejoint/>
    <geom name="ghost" type="sphere" size="0.3" contype="2" conaffinity="4"/></body>
  <body name="hunter" pos="0.1 0 0.1"><freejoint/>
    <geom name="hunter" type="sphere" size="0.3" contype="4" conaffinity="8"/></body>
  <body name="shy" pos="0 0.1 0.1"><freejoint/><geom name="shy" type="sphere" size="0.3"/></body>
  <body name="picture" pos="0 0.1 0.1"><freejoint/>
    <geom name="picture" type="sphere" size="0.3" contype="0" conaffinity="0" mass="1"/></body>
</worldbody><contact><exclude body1="shy" body2="hand"/><exclude body1="arm" body2="shy"/></contact>%s</mujoco>"""


@pytest.mark.parametrize("option", ["", '<option><flag filterparent="disable"/></option>'])
def test_pairs_that_may_meet_are_those_of_mujoco(option):
    # All overlap each other: who meets is the filters' doing alone. Depths this large are not compared.
    model = mujoco.MjModel.from_xml_string(ROBOT % option)
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data)
    assert ours.keys() == theirs.keys() and len(ours) > 8
    name = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, g) for g in range(model.ngeom)]
    pairs = {tuple(sorted((name[a], name[b]))) for a, b in ours}
    assert ("ghost", "hunter") in pairs and ("arm", "shy") not in pairs and ("hand", "shy") not in pairs
    assert (("arm", "hull") in pairs) == bool(option)
    assert "picture" not in [name[g] for g in world.geom]
    # The scene itself keeps them apart: nothing is left for contacts() to take out.
    collider = oclide.Collider("reference")
    collider.set_scene(world.scene)
    frame = collider.collide(*world.poses(data))
    assert len(world.contacts(frame)) == len(frame) > 0


def test_classes_whose_first_geoms_are_of_one_body_keep_the_others():
    # floor and wall stand for all geoms of their contype; the jointed body makes classes by body.
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
        <geom name="floor" type="plane" size="5 5 1"/>
        <geom name="wall" type="box" size="0.1 1 1" pos="2 0 0" contype="3" conaffinity="3"/>
        <body pos="0 0 0.09"><freejoint/><geom name="ball" size="0.1" contype="3" conaffinity="3"/></body>
        <body pos="-1 0 1"><freejoint/><geom name="upper" size="0.1"/>
          <body pos="0.3 0 0"><joint type="hinge"/><geom name="lower" size="0.1"/></body></body>
        </worldbody></mujoco>""")
    ours, theirs, _ = both(model, mujoco.MjData(model))
    assert ours.keys() == theirs.keys() and len(ours) == 1


def test_rules_of_any_number_hold_in_the_scene_itself():
    links = "<geom type='sphere' size='0.1'/>"
    for k in range(40):
        links = (f"<geom type='sphere' size='0.1'/><body pos='0.07 0 0'>"
                 f"<joint type='hinge' axis='0 1 0'/>{links}</body>")
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body pos='0 0 1'><freejoint/>{links}</body></worldbody></mujoco>")
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data)
    assert ours.keys() == theirs.keys() and len(ours) > 30
    assert len(world.scene.bodies.excluded) > 30 and world.scene.bodies.either_mask


@pytest.mark.parametrize("seed", range(4))
def test_filters_of_random_models_are_those_of_mujoco(seed):
    # Everything overlaps: trees of jointed and welded bodies with any masks, mocap bodies, excludes and explicit pairs.
    random = np.random.default_rng(seed)
    names, geoms = [], []

    def body(depth):
        name = f"b{len(names)}"
        names.append(name)
        inside = ""
        for _ in range(random.integers(1, 3)):
            geoms.append(f"g{len(geoms)}")
            inside += (f'<geom name="{geoms[-1]}" type="sphere" size="{random.uniform(0.2, 0.3):.3f}" '
                       f'contype="{random.integers(0, 4)}" conaffinity="{random.integers(0, 4)}"/>')
        for _ in range(random.integers(0, 3) if depth < 3 else 0):
            inside += body(depth + 1)
        joint = ('<freejoint/>' if depth == 0
                 else '<joint type="hinge" axis="0 1 0"/>') if random.random() < 0.7 else ""
        mocap = ' mocap="true"' if depth == 0 and not joint and random.random() < 0.5 else ""
        place = " ".join(f"{x:.3f}" for x in random.uniform(-0.1, 0.1, 3))
        return f'<body name="{name}" pos="{place}"{mocap}>{joint}{inside}</body>'

    bodies = "".join(body(0) for _ in range(7))
    rules = "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in random.choice(names, (5, 2)) if a != b)
    named = {tuple(sorted(pair)) for pair in random.choice(geoms, (4, 2)).tolist() if pair[0] != pair[1]}
    rules += "".join(f'<pair geom1="{a}" geom2="{b}"/>' for a, b in named)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>'
        f'<geom name="post" type="box" size="0.2 0.2 0.5"/>{bodies}</worldbody><contact>{rules}</contact></mujoco>')
    ours, theirs, _ = both(model, mujoco.MjData(model))
    assert ours.keys() == theirs.keys() and len(ours) > 20


def test_what_oclide_has_in_another_form_is_noted():
    model = mujoco.MjModel.from_xml_string("""<mujoco><asset>
        <hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset><worldbody>
        <geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/><geom type="sphere" size="0.1"/>
        <geom name="turned" type="hfield" hfield="h" euler="0 10 0"/><geom name="one" type="hfield" hfield="h"/>
        <geom name="two" type="hfield" hfield="h"/>
        <body><freejoint/><geom name="raft" type="hfield" hfield="h"/><geom type="sphere" size="0.1"/></body>
        <body pos="1 2 3" euler="0 0 90"><body pos="1 0 0" euler="0 0 -90"><geom name="three" type="hfield" hfield="h"/>
        </body></body></worldbody></mujoco>""")
    world = oclide.from_mujoco(model)
    assert world.left_out == [] and world.terrain_geom == mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "one")
    assert len(world.geom) == 7 and len(world.scene.terrains) == len(world.scene.hulls) == len(world.scene.meshes) == 1
    for name, why in (("turned", "that is turned"), ("two", "has one height field"), ("raft", "one height field")):
        assert any(note.startswith(f"height field {name}: a solid mesh") and why in note for note in world.notes), name
    assert any(note.startswith("ellipsoid egg: a hull of 162 points") for note in world.notes)
    length = np.linalg.norm(np.asarray(world.scene.hulls[0]) / [0.1, 0.2, 0.3], axis=1)
    assert length == pytest.approx(np.ones(162), abs=1e-12)


MESHES = """<mesh name="stone" vertex="0.2 0 0  -0.15 0.1 0  -0.1 -0.2 0.05  0 0.05 0.25  0.05 0.1 -0.2  0.1 0.15 0.1"/>
    <mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0.3 0.2 0  0 0 0.15  0 0.2 0.15"/>"""


def test_meshes_meet_as_their_hulls_do_in_mujoco():
    random = np.random.default_rng(11)
    bodies = ""
    for k in range(36):
        place = random.uniform([-0.4, -0.4, 0.0], [0.4, 0.4, 0.6])
        turn = random.uniform(-180.0, 180.0, 3)
        kind = ("stone", "wedge", "box", "sphere", "capsule", "cylinder")[k % 6]
        geom = f'type="mesh" mesh="{kind}"' if k % 6 < 2 else f'type="{kind}" size="0.1 0.12 0.08"'
        bodies += (f'<body pos="{place[0]:.4f} {place[1]:.4f} {place[2]:.4f}" euler="{turn[0]:.2f} {turn[1]:.2f} '
                   f'{turn[2]:.2f}"><freejoint/><geom {geom}/></body>')
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{MESHES}</asset><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>')
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data)
    assert world.left_out == [] and len(world.scene.hulls) == 2
    assert sorted(set(world.scene.bodies.size[world.scene.bodies.shape == oclide.Shape.CONVEX_HULL, 0])) == [0.0, 1.0]
    with_mesh = [pair for pair in ours if mujoco.mjtGeom.mjGEOM_MESH in model.geom_type[list(pair)]]
    assert len(with_mesh) > 20
    compared = agree(model, data, ours, theirs)
    # Deep pairs, of which MuJoCo's depth is not always the overlap along its normal: agree() holds ours against that.
    assert compared[0] > 60 and compared[1] > 0.8 * compared[0]


def angle_iron(ends):
    """MuJoCo's mesh of a beam along y with an L as its section, with its ends or open."""
    section = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(x, y, z) for y in (0, 1) for x, z in section]
    faces = []
    for i in range(6):
        j = (i + 1) % 6
        faces += [(j, i, i + 6), (j, i + 6, j + 6)]
        if ends and i not in (0, 5):
            faces += [(0, i, j), (6, j + 6, i + 6)]

    def text(rows):
        return "  ".join(" ".join(map(str, row)) for row in rows)
    return f'inertia="shell" vertex="{text(vertices)}" face="{text(faces)}"'


def test_meshes_can_be_their_triangles():
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset><mesh name="iron" {angle_iron(True)}/><mesh name="open" {angle_iron(False)}/></asset>
        <worldbody>
        <geom type="mesh" mesh="iron"/><geom type="mesh" mesh="open" pos="10 0 0"/>
        <body pos="1.5 0.5 1.5"><freejoint/><geom name="in the notch" size="0.4"/></body>
        <body pos="1.6 0.5 1.35"><freejoint/><geom name="on the floor" size="0.38"/></body>
        <body pos="0.5 0.5 0.4"><freejoint/><geom name="inside" size="0.1"/></body>
        <body pos="10.5 0.5 0.45"><freejoint/><geom name="in the hollow" size="0.49"/></body>
        </worldbody></mujoco>""")
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    notch, floor, inside, hollow = (model.geom(name).id
                                    for name in ("in the notch", "on the floor", "inside", "in the hollow"))
    for device in DEVICES:
        collider = oclide.Collider(device)
        worlds = {kind: oclide.from_mujoco(model, data, meshes=kind) for kind in ("hull", "mesh")}
        found = {}
        for kind, world in worlds.items():
            assert world.left_out == []
            collider.set_scene(world.scene)
            found[kind] = by_pair(world.contacts(collider.collide(*world.poses(data))))
        of_iron = {kind: {b for a, b in ((min(p), max(p)) for p in pairs) if a == 0} for kind, pairs in found.items()}
        assert of_iron["hull"] == {notch, floor, inside}
        assert of_iron["mesh"] == {floor, inside}
        # From the smaller type, the sphere, to the mesh.
        for other, mesh, distance, normal in ((floor, 0, -0.03, (0, 0, -1)), (hollow, 1, -0.04, (0, 0, -1))):
            deepest = found["mesh"][(other, mesh)]
            assert deepest[0] == pytest.approx(distance, abs=1e-5)
            assert deepest[1] == pytest.approx(normal, abs=1e-5)
        assert found["mesh"][(inside, 0)][0] == pytest.approx(-0.5, abs=1e-5)
    assert [mesh.solid for mesh in worlds["mesh"].scene.meshes] == [True, False]
    assert any("triangles" in note for note in worlds["mesh"].notes)
    assert not worlds["hull"].scene.meshes and not worlds["mesh"].scene.hulls
    with pytest.raises(oclide.InvalidInputError, match="meshes"):
        oclide.from_mujoco(model, meshes="box")


def test_a_height_field_of_a_fixed_body_stands_where_the_body_is():
    model = mujoco.MjModel.from_xml_string("""<mujoco><asset><hfield name="h" nrow="3" ncol="5" size="1 2 1 1"/></asset>
        <worldbody><body pos="1 2 3" euler="0 0 90"><body pos="1 0 0" euler="0 0 -90">
        <geom type="hfield" hfield="h" pos="0.5 0 0"/></body></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        terrain = oclide.from_mujoco(model, data).scene.terrains[0]
    centre = data.geom_xpos[0]
    assert terrain.origin == pytest.approx((centre[0] - 1.0, centre[1] - 2.0), abs=1e-12)
    assert np.allclose(terrain.heights, centre[2]) and terrain.spacing == pytest.approx((0.5, 2.0))


def test_a_model_without_geoms_is_an_empty_scene():
    world = oclide.from_mujoco(mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>"))
    assert len(world.geom) == 0 and len(world.scene.bodies) == 0


FLOOR = '<geom name="floor" type="plane" size="5 5 1"/>'
HIDDEN = '<default><geom contype="0" conaffinity="0"/></default>'


def pairs_of(xml):
    """Names of the geoms that meet: in oclide, in MuJoCo, and in the scene before contacts() filters them."""
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{xml}</mujoco>")
    data = mujoco.MjData(model)
    ours, theirs, world = both(model, data)
    collider = oclide.Collider("reference")
    collider.set_scene(world.scene)
    frame = collider.collide(*world.poses(data))
    found = {(world.geom[a], world.terrain_geom if b == oclide.TERRAIN else world.geom[b])
             for a, b in zip(frame.body_a, frame.body_b)}
    return tuple({"-".join(sorted(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, g) for g in pair))
                  for pair in pairs}
                 for pairs in (ours, theirs, found))


def test_explicit_pairs_meet_whatever_the_masks_say():
    ours, theirs, found = pairs_of(f"""{HIDDEN}<worldbody>{FLOOR}
        <body pos="0 0 0.05"><freejoint/><geom name="a" size="0.1"/></body>
        <body pos="0 0.1 0.05"><freejoint/><geom name="b" size="0.1"/></body>
        <body pos="0.1 0 0.05"><freejoint/><geom name="c" size="0.1"/></body></worldbody>
        <contact><pair geom1="a" geom2="floor"/><pair geom1="b" geom2="c"/></contact>""")
    assert ours == theirs == found == {"a-floor", "b-c"}


def test_explicit_pairs_meet_whatever_else_keeps_them_apart():
    # Of one body, welded together, parent and child, both fixed, excluded.
    ours, theirs, _ = pairs_of("""<worldbody><geom name="one" size="0.1"/><geom name="two" size="0.1"/>
        <geom name="three" size="0.1"/>
        <body name="P" pos="3 0 0"><freejoint/><geom name="p" size="0.1"/><geom name="q" size="0.1"/>
          <body><geom name="welded" size="0.1"/></body>
          <body><joint type="hinge"/><geom name="child" size="0.1"/></body></body>
        <body name="Q" pos="3 0.05 0"><freejoint/><geom name="r" size="0.1"/><geom name="s" size="0.1"/></body>
        </worldbody>
        <contact><exclude body1="P" body2="Q"/><pair geom1="p" geom2="q"/><pair geom1="q" geom2="welded"/>
        <pair geom1="p" geom2="child"/><pair geom1="one" geom2="three"/><pair geom1="p" geom2="s"/></contact>""")
    assert ours == theirs == {"p-q", "q-welded", "child-p", "one-three", "p-s", "child-r", "child-s", "r-welded",
                              "s-welded"}


def test_a_height_field_that_an_explicit_pair_names_is_terrain():
    ours, theirs, _ = pairs_of(f"""{HIDDEN}<asset><hfield name="h" nrow="3" ncol="3" size="2 2 1 1"/></asset><worldbody>
        <geom name="ground" type="hfield" hfield="h"/>
        <body pos="0 0 0.05"><freejoint/><geom name="a" size="0.1"/></body>
        <body pos="1 0 0.05"><freejoint/><geom name="b" size="0.1"/></body></worldbody>
        <contact><pair geom1="a" geom2="ground"/></contact>""")
    assert ours == theirs == {"a-ground"}


def test_more_pairs_than_a_category_has_bits_are_kept_afterwards():
    bodies = "".join(f'<body pos="{0.01 * k} 0 0"><freejoint/><geom name="g{k}" size="0.1"/></body>' for k in range(80))
    pairs = "".join(f'<pair geom1="g{k}" geom2="g{k + 1}"/>' for k in range(0, 80, 2))
    ours, theirs, _ = pairs_of(f"{HIDDEN}<worldbody>{bodies}</worldbody><contact>{pairs}</contact>")
    assert ours == theirs and len(ours) == 40


def test_mocap_bodies_meet_what_can_move():
    ours, theirs, found = pairs_of(f"""<worldbody>{FLOOR}<geom name="post" size="0.1"/>
        <body mocap="true" pos="0 0 0.05"><geom name="hand" size="0.1"/>
          <body pos="0 0 0.02"><geom name="finger" size="0.1"/></body>
          <body pos="0 0 0.02"><joint type="hinge"/><geom name="tool" size="0.1"/></body></body>
        <body mocap="true" pos="0 0.05 0.05"><geom name="other" size="0.1"/></body>
        <body pos="0 0 0.09"><freejoint/><geom name="ball" size="0.1"/></body></worldbody>""")
    assert ours == theirs == found and "ball-hand" in ours and "floor-hand" not in ours and "other-tool" in ours


def test_height_fields_that_cannot_be_terrain_are_solid_meshes_with_the_same_surface():
    random = np.random.default_rng(12)
    balls = "".join(f'<body pos="{x:.3f} {y:.3f} 3"><freejoint/><geom type="sphere" size="0.04"/></body>'
                    for x, y in random.uniform(-0.6, 0.6, (24, 2)))
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>
        <asset><hfield name="h" nrow="5" ncol="7" size="1.2 0.8 0.3 0.4"/></asset>
        <worldbody>
        <body mocap="true"><geom name="raft" type="hfield" hfield="h" pos="0.1 0 0.2" euler="20 -15 40"/></body>
        {balls}</worldbody></mujoco>""")
    model.hfield_data[:] = random.uniform(0.0, 1.0, model.hfield_data.shape)
    data = mujoco.MjData(model)
    data.mocap_pos[0], data.mocap_quat[0] = [0.3, -0.2, 0.1], [0.9, 0.1, -0.2, 0.3]
    mujoco.mj_forward(model, data)
    world = oclide.from_mujoco(model)
    assert world.left_out == [] and world.scene.terrains == [] and world.scene.meshes[0].solid
    raft = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "raft")
    collider = oclide.Collider(DEVICES[0])
    collider.set_scene(world.scene)
    # From all sides: surface, sides and base.
    direction = random.normal(size=(400, 3))
    origin = data.geom_xpos[raft] - 4.0 * direction / np.linalg.norm(direction, axis=1, keepdims=True) + \
        random.uniform(-0.7, 0.7, (400, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    hits = collider.cast(*world.poses(data), origin, direction)
    theirs = np.array([mujoco.mj_rayHfield(model, data, raft, start, way) for start, way in zip(origin, direction)])
    on_raft = hits.body == 0
    is_clear = on_raft | (hits.body == oclide.NOTHING)  # of balls
    assert (on_raft == (theirs >= 0.0))[is_clear].all() and on_raft.sum() > 150
    assert hits.distance[on_raft] == pytest.approx(theirs[on_raft], abs=2e-5)
    # Balls that just touch the surface have MuJoCo's distance.
    down = -data.geom_xmat[raft].reshape(3, 3)[:, 2]
    for ball in range(24):
        start = data.geom_xpos[raft] - 2.0 * down
        start += data.geom_xmat[raft].reshape(3, 3)[:, :2] @ random.uniform(-0.7, 0.7, 2)
        surface = start + mujoco.mj_rayHfield(model, data, raft, start, down) * down
        data.qpos[7 * ball:7 * ball + 3] = surface - 0.045 * down
    mujoco.mj_fwdPosition(model, data)
    ours = by_pair(world.contacts(collider.collide(*world.poses(data))))
    wanted = by_pair(of_mujoco(data))
    found = 0
    for pair in (p for p in wanted if raft in p and wanted[p][0] > -0.01):
        assert ours[pair][0] == pytest.approx(wanted[pair][0], abs=1e-4), pair
        found += 1
    assert found > 5


BALL = f'<worldbody>{FLOOR}<body pos="0 0 0.12"><freejoint/><geom size="0.1" %s/></body></worldbody>'
FLAG = '<option o_margin="0.3"><flag %s="%s"/></option>'


@pytest.mark.parametrize("xml, note", [
    (FLAG % ("contact", "disable") + BALL % "", "flag contact is disabled: MuJoCo has no contacts"),
    (FLAG % ("constraint", "disable") + BALL % "", "flag constraint is disabled: MuJoCo has no contacts"),
    (FLAG % ("override", "enable") + BALL % "", "flag override is enabled: o_margin"),
    (FLAG % ("sleep", "enable") + BALL % "", "flag sleep is enabled"),
    (FLAG % ("speculative", "enable") + BALL % "", "flag speculative is enabled"),
    (BALL % 'gap="0.25"', "gap of geoms and pairs, up to 0.25 m"),
    (BALL % 'name="b"' + '<contact><pair geom1="b" geom2="floor" gap="0.5"/></contact>', "up to 0.5 m"),
    (BALL % 'margin="0.05"', None),
    (BALL % 'margin="-0.01"', None),
    (BALL % 'name="b"' + '<contact><pair geom1="b" geom2="floor" margin="0.5"/></contact>', None),
    # What decides on no contact, or is carried over.
    (FLAG % ("filterparent", "disable") + BALL % "", None),
    (FLAG % ("gravity", "disable") + BALL % "", None),
    (FLAG % ("energy", "enable") + BALL % "", None),
    (BALL % 'condim="6" priority="3" solref="0.1 1" friction="2 1 1"', None),
    (BALL % 'name="b"' + '<contact><pair geom1="b" geom2="floor"/></contact>', None),
])
def test_settings_that_are_not_carried_over_are_noted(xml, note):
    world = oclide.from_mujoco(mujoco.MjModel.from_xml_string(f"<mujoco>{xml}</mujoco>"))
    assert world.left_out == [] and [note is not None and note in text for text in world.notes] == [True] * bool(note)


def test_a_contact_filter_of_the_process_is_noted():
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{BALL % ''}</mujoco>")
    mujoco.set_mjcb_contactfilter(lambda model, data, a, b: 1)
    try:
        assert oclide.from_mujoco(model).notes == ["mjcb_contactfilter is set: it is not called"]
    finally:
        mujoco.set_mjcb_contactfilter(None)
    assert oclide.from_mujoco(model).notes == []


@pytest.mark.parametrize("contact, collides", [
    ('selfcollide="none"', True), ('contype="0" conaffinity="0" selfcollide="auto"', True),
    ('contype="0" conaffinity="0" selfcollide="none"', False)])
def test_flexes_that_collide_are_left_out(contact, collides):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody>{FLOOR}
        <flexcomp type="grid" count="4 4 1" spacing="0.1 0.1 0.1" pos="0 0 0.005" radius="0.01" name="cloth" dim="2"
        mass="1"><contact {contact}/></flexcomp></worldbody></mujoco>""")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        world = oclide.from_mujoco(model)
    assert [(item.geom, item.name) for item in world.left_out] == [(-1, "cloth")] * collides
    assert ["1 geoms and flexes are left out: cloth (a flex" in str(c.message) for c in caught] == [True] * collides


def test_control_characters_of_a_name_are_no_control_characters_of_a_warning():
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody>{FLOOR}
        <flexcomp type="grid" count="4 4 1" spacing="0.1 0.1 0.1" pos="0 0 0.005" radius="0.01" name="c&#x9b;31m"
                  dim="2"
        mass="1"/></worldbody></mujoco>""")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert oclide.from_mujoco(model).left_out[0].name == "c\x9b31m"
    assert [r"c\u009b31m (a flex" in str(c.message) and "\x9b" not in str(c.message) for c in caught] == [True]


def test_an_ellipsoid_that_only_an_explicit_pair_names_is_in_the_scene():
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{HIDDEN}<worldbody>{FLOOR}<body><freejoint/>
        <geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" mass="1"/></body></worldbody>
        <contact><pair geom1="egg" geom2="floor"/></contact></mujoco>""")
    world = oclide.from_mujoco(model)
    assert world.left_out == [] and len(world.geom) == 2
    assert [note.partition(":")[0] for note in world.notes] == ["ellipsoid egg"]


JOINTS = """<mujoco><compiler angle="radian"/><worldbody>
<body pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.1" pos="0.1 0 0" quat="1 0.2 0.3 0.4"/>
<body pos="0.3 0 0" quat="1 0 0.5 0"><joint type="hinge" axis="1 2 3" pos="0.1 0.2 0" ref="0.3"/>
<joint type="slide" axis="0 1 1" ref="-0.2"/><geom type="capsule" size="0.05 0.2" pos="0 0.1 0"/>
<body pos="0 0.2 0.1"><joint type="ball" pos="0 0.1 0.2"/><geom type="sphere" size="0.1" pos="0.2 0 0"/>
<body pos="0.1 0 0"><geom type="cylinder" size="0.1 0.1"/></body></body></body></body>
<body pos="2 0 0" quat="1 1 0 0"><joint type="slide" axis="1 0 0"/><joint type="hinge" axis="0 0 1"/>
<geom type="box" size="0.1 0.1 0.1"/></body>
<body mocap="true" pos="0 3 0"><geom type="sphere" size="0.2"/></body>
<geom type="plane" size="1 1 1" pos="0 0 -0.5" euler="0.1 0 0"/></worldbody></mujoco>"""


def states(model, count, seed):
    """qpos of many, with quaternions of any length."""
    return model.qpos0 + np.random.default_rng(seed).normal(0.0, 0.7, (count, model.nq))


def test_kinematics_of_all_joints_are_those_of_mujoco():
    model = mujoco.MjModel.from_xml_string(JOINTS)
    data = mujoco.MjData(model)
    count = 150
    qpos = states(model, count, 1)
    qpos[7, 3:7] = 0.0  # of no rotation at all, as MuJoCo has it
    random = np.random.default_rng(2)
    mocap = random.normal(size=(count, 1, 3)), random.normal(size=(count, 1, 4))
    one, many = oclide.from_mujoco(model), oclide.from_mujoco(model, environments=count)
    n = len(one.geom)
    for moved in (False, True):
        position, orientation = many.poses(qpos, *(mocap if moved else ()))
        for e in range(count):
            data.qpos[:] = qpos[e]
            if moved:
                data.mocap_pos[:], data.mocap_quat[:] = mocap[0][e], mocap[1][e]
            mujoco.mj_kinematics(model, data)
            wanted = one.poses(data)
            np.testing.assert_allclose(position[n * e:n * e + n], wanted[0], rtol=0, atol=1e-12)
            np.testing.assert_allclose(orientation[n * e:n * e + n], wanted[1], rtol=0, atol=1e-12)


def test_motion_of_all_joints_is_that_of_small_steps():
    model = mujoco.MjModel.from_xml_string(JOINTS)
    count, step = 30, 1e-5
    qpos = states(model, count, 4)
    world = oclide.from_mujoco(model, environments=count)
    qvel = np.random.default_rng(5).normal(0.0, 2.0, (count, model.nv))
    ends = []
    for way in (-step, step):
        moved = qpos.copy()
        for e in range(count):
            mujoco.mj_integratePos(model, moved[e], qvel[e], way)
        ends.append(world.poses(moved))
    displacement, rotation = world.motion(qpos, qvel, 1.0)
    np.testing.assert_allclose(displacement, (ends[1][0] - ends[0][0]) / (2 * step), rtol=0, atol=1e-6)
    for i, (before, after) in enumerate(zip(ends[0][1], ends[1][1])):
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, after / np.linalg.norm(after), before / np.linalg.norm(before))
        in_world = np.zeros(3)
        mujoco.mju_rotVecQuat(in_world, turn, before / np.linalg.norm(before))
        np.testing.assert_allclose(rotation[i], in_world / (2 * step), rtol=0, atol=1e-3)
    assert np.abs(rotation).max() > 5.0 and not rotation[world.geom == len(model.geom_type) - 1].any()
    # Over the model's timestep, of one state.
    one, data = oclide.from_mujoco(model), mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos[0], qvel[0]
    for moves in (one.motion(data), one.motion(qpos[0], qvel[0])):
        for found, wanted in zip(moves, (displacement, rotation)):
            np.testing.assert_allclose(found, model.opt.timestep * wanted[:len(one.geom)], rtol=0, atol=1e-14)


def test_a_ball_that_jumps_through_a_plate_has_an_impact():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body pos="0 0 1"><freejoint/>
        <geom type="sphere" size="0.1"/></body><geom type="box" size="1 1 0.01"/></worldbody></mujoco>""")
    world, data = oclide.from_mujoco(model), mujoco.MjData(model)
    data.qvel[2] = -1000.0
    mujoco.mj_kinematics(model, data)
    collider = oclide.Collider(DEVICES[0])
    collider.set_scene(world.scene)
    found = collider.sweep(*world.poses(data), *world.motion(data)).impacts
    assert len(found) == 1 and abs(found["time"][0] - 0.89 / (1000.0 * model.opt.timestep)) < 1e-4


def test_environments_have_the_contacts_of_each_alone():
    model = mujoco.MjModel.from_xml_string(JOINTS)
    qpos = states(model, 40, 3)
    qpos[:, 2] = np.linspace(-0.5, 0.0, 40)  # in the ground
    one, many = oclide.from_mujoco(model), oclide.from_mujoco(model, environments=40)
    collider, alone = oclide.Collider(DEVICES[0]), oclide.Collider(DEVICES[0])
    collider.set_scene(many.scene)
    alone.set_scene(one.scene)
    found = many.contacts(collider.collide(*many.poses(qpos)))
    assert len(found) > 80 and len(set(found["environment"])) > 20
    for e in range(40):
        wanted = one.contacts(alone.collide(*one.poses(qpos[e])))
        of_this = found[found["environment"] == e]
        for name in ("geom", "dist", "pos", "normal"):
            assert (of_this[name] == wanted[name]).all(), (e, name)


def test_states_that_are_not_of_all_environments_are_refused():
    model = mujoco.MjModel.from_xml_string(JOINTS)
    world = oclide.from_mujoco(model, environments=3)
    for message, arguments in {"qpos has shape": (np.zeros(model.nq),), r"must have \(3,": (np.zeros((2, model.nq)),),
                               "one mjData": (mujoco.MjData(model),),
                               "mocap_pos and mocap_quat": (np.zeros((3, model.nq)), np.zeros((3, 1, 3))),
                               "mocap_quat": (np.zeros((3, model.nq)), np.zeros((3, 1, 3)),
                                              np.zeros((2, 1, 4)))}.items():
        with pytest.raises(oclide.InvalidInputError, match=message):
            world.poses(*arguments)
    for message, arguments in {"needs qvel": (np.zeros((3, model.nq)),), "one mjData": (mujoco.MjData(model),),
                               "qvel has shape": (np.zeros((3, model.nq)), np.zeros((3, model.nq)))}.items():
        with pytest.raises(oclide.InvalidInputError, match=message):
            world.motion(*arguments)
    with pytest.raises(oclide.InvalidInputError, match="environments"):
        oclide.from_mujoco(model, environments=0)
    with pytest.raises(oclide.InvalidInputError, match="one environment"):
        oclide.from_mujoco(model, mujoco.MjData(model), environments=2)
