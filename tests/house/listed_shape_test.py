"""A shape or pair that is listed and has no geometry does not compile, and the compiler names what is missing.

listed_shape_test.py ROOT CLANG CXX [-I...]    ROOT: the sources; CLANG checks kernels, CXX, with the options behind it,
                                               host files.

Made-up shapes and pairs are listed in copies of kernels/shared's lists, which stand before the sources' own.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, CLANG, CXX = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]

KERNELS = ["broad_phase/body_tree", "broad_phase/terrain_range", "broad_phase/terrain_candidates",
           "narrow_phase/fused_terrain", "narrow_phase/fused_pairs", "queries/cast_rays", "queries/distance_bodies",
           "narrow_phase/sphere_triangle_mesh"]
# Host files that are compiled as one, which takes less time.
LISTS = "shapes/bounding_radius.hpp and shapes/pair_table.hpp"
REFERENCE = ("reference/body.cpp and reference/body_chord.cpp and reference/body_eroded.cpp and "
             "reference/narrow_phase/body_pair.cpp and "
             "reference/narrow_phase/least_penetration.cpp and reference/narrow_phase/turned_feature.cpp")
# Host files that name shapes one by one: a switch without a default, or an assertion on a class. Each is to be named.
BY_NAME = ("reference/narrow_phase/edge_contact.cpp and reference/narrow_phase/ground_contact.cpp and "
           "reference/narrow_phase/mesh_edges.cpp and reference/narrow_phase/mesh_vertices.cpp and "
           "reference/narrow_phase/pair_meeting.cpp and reference/narrow_phase/wall_terrain.cpp and "
           "reference/motion/moving_solid.cpp and reference/queries/body_distance.cpp and scene/scene_check.cpp and "
           "service/merged_scene.cpp")
HOST = [LISTS, REFERENCE, BY_NAME]

SHAPES = (ROOT / "kernels/shared/shapes.h").read_text(encoding="utf-8")
PAIRS = (ROOT / "kernels/shared/pairs.h").read_text(encoding="utf-8")
API = (ROOT / "include/oclide/oclide.hpp").read_text(encoding="utf-8")


def listed(text, macro, row):
    """The header with one more row at the end of a list."""
    listed_text, times = re.subn(r"(#define " + macro + r"\(X\)(?:[^\n]*\\\n)*[^\n]*)", r"\1 " + row, text)
    assert times == 1, macro
    return listed_text


def with_shape(classes):
    """The three headers with a cone that is in these classes, and in pairs with nothing."""
    shapes = listed(SHAPES, "OCLIDE_SHAPES", 'X(CONE, cone, 8, "cone", lengths, "radius", "half length", "")')
    for name in classes:
        shapes = listed(shapes, f"OCLIDE_{name}_SHAPES", "X(CONE, cone)")
    api, times = re.subn(r"(enum class Shape : std::uint8_t \{)", r"\1 cone = 8,", API)
    assert times == 1
    return {"shared/shapes.h": shapes, "shared/pairs.h": PAIRS, "oclide/oclide.hpp": api}


def with_pair(list_name, row):
    return {"shared/shapes.h": SHAPES, "shared/pairs.h": listed(PAIRS, list_name, row)}


def messages_of(headers, file):
    """What the compiler says of a file, with these headers before the sources' own; nothing where it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in headers.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if file in KERNELS:
            command = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-ferror-limit=0",
                       "-Wall", "-Wextra", "-Werror", f"-I{folder}", "-I.", f"{file}.cl"]
        else:
            command = [*CXX, "-std=c++20", "-Werror=switch", "-DGLM_FORCE_SILENT_WARNINGS", f"-I{folder}", "-I.", f"-I{ROOT}/host",
                       f"-I{ROOT}/include", "-x", "c++", "-"]
        text = "" if file in KERNELS else "".join(f'#include "{name}"\n' for name in file.split(" and "))
        done = subprocess.run([*command, "-fsyntax-only"], cwd=ROOT / "kernels", input=text, capture_output=True,
                              text=True, check=False)
        assert (done.returncode != 0) == bool(done.stderr.strip()), done.stderr
        return done.stderr


EVERY = ["SYMMETRIC", "SHARP", "SIDED"]
# name: (headers, file, what its compiler has to name)
CASES = {}
for FILE in KERNELS + HOST:
    CASES[f"copies of the lists, {FILE}"] = (
        {"shared/shapes.h": SHAPES, "shared/pairs.h": PAIRS, "oclide/oclide.hpp": API}, FILE, [])
for FILE, missing in {
        "broad_phase/body_tree": "cone_bounding_radius cone_extents cone_reach_along",
        "broad_phase/terrain_range": "cone_bounding_radius_w cone_extents_w cone_reach_w CONE_COVER_SLACK",
        "broad_phase/terrain_candidates": "site_features_are_culled_for_every_symmetric_shape",
        "narrow_phase/fused_terrain":
            "cone_rounded_point cone_site cone_lowest_points cone_lowest_point cone_signed_distance cone_line_inside "
            "cone_lowest_point_toward "
            "cone_part_on_side cone_asks_edge cone_edge_root cone_side_on_edge cone_lift_guess cone_is_across_face "
            "CONE_MEETS_FLAT_EDGES",
        "narrow_phase/fused_pairs":
            "cone_foremost_point cone_flat_side cone_line_along cone_point_feature CONE_POINT_RANK cone_point_way "
            "cone_flat_sine2 cone_turns_line faces_of_cone box_and_cone_faces cylinder_and_cone_faces "
            "convex_hull_and_cone_faces",
        "queries/cast_rays": "cone_span cone_normal_at cone_further",
        "queries/distance_bodies": "cone_distance",
        "narrow_phase/sphere_triangle_mesh": "cone_rounded_point cone_own_box cone_feet cone_foot cone_vertex_way",
        LISTS: "cone_bounding_radius pairs.h",
        REFERENCE: "cone_support cone_signed_distance cone_chord cone_bounding_radius cone_rounded_points cone_eroded "
                   "cone_summands cone_face_normals cone_turned_to_face cone_turned_to_edge"}.items():
    CASES[f"a sharp symmetric shape without geometry, {FILE}"] = (with_shape(EVERY), FILE, missing.split())
for KIND, only in {"SHARP": "edge_contact mesh_edges pair_meeting wall_terrain",
                   "ROUNDED": "ground_contact"}.items():
    CASES[f"a {KIND} shape that is not named"] = (
        with_shape(["SYMMETRIC", KIND, "SIDED"]), BY_NAME,
        [f"{stem}.cpp" for stem in
         f"{only} mesh_vertices moving_solid body_distance scene_check merged_scene".split()])
for FILE in ("broad_phase/body_tree", LISTS):
    CASES[f"a convex shape that is neither sharp nor rounded, {FILE}"] = (
        with_shape(["CONVEX"]), FILE, ["sharp" if FILE in HOST else "every_convex_shape_is_sharp_or_rounded"])
    CASES[f"a convex shape that is neither sided nor sideless, {FILE}"] = (
        with_shape(["CONVEX", "SHARP"]), FILE, ["sided" if FILE in HOST else "every_convex_shape_is_sided_or_sideless"])
PAIR = with_pair("OCLIDE_PAIRS_FUSED", "X(SPHERE, sphere, COMPOUND, compound)")
CASES["a pair without a kernel"] = (PAIR, "narrow_phase/fused_pairs", ["narrow_phase_sphere_compound_states"])
CASES["a pair without a reference"] = (PAIR, REFERENCE, ["sphere_compound"])
CASES["a pair that is listed twice"] = (
    with_pair("OCLIDE_PAIRS_APART", "X(SPHERE, sphere, SPHERE, sphere)"), LISTS, ["pairs.h"])
# Not symmetric, with the geometry of another shape under its name: no culling, no extents and no eight side by side.
LENT = with_shape(["CONVEX", "ROUNDED", "SIDED"])
LENT["shared/shapes.h"] += "".join(
    f"#define cone_{what} capsule_{what}\n" for what in
    "bounding_radius reach_along lowest_point signed_distance line_inside site lift_guess foremost_point line_along "
    "point_feature point_way turns_line rounded_point span normal_at further distance own_box feet foot "
    "vertex_way".split()) + "#define CONE_POINT_RANK CAPSULE_POINT_RANK\n"
for FILE in KERNELS:
    CASES[f"a shape with geometry that is not symmetric, {FILE}"] = (LENT, FILE, [])


def failure_of(case):
    name, (headers, file, expected) = case
    said = messages_of(headers, file)
    if not expected:
        return f"{name}: does not compile\n{said}" if said else None
    # Of a file, that there is an error in it.
    missing = [what for what in expected
               if not re.search(rf"\b{re.escape(what)}\b" + (r":\d+:\d+: error" if what.endswith(".cpp") else ""), said)]
    return f"{name}: nothing is said of {', '.join(missing)}\n{said}" if missing else None


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failures = [f for f in pool.map(failure_of, CASES.items()) if f]
print("\n".join(failures) or f"{len(CASES)} cases: what is listed compiles with its geometry alone")
sys.exit(1 if failures else 0)
