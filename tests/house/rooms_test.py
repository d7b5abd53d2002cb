"""The folders of host/ and kernels/ are rooms in an order: a file includes from its own room and from lower ones alone.

docs/architecture.md names every room.

rooms_test.py ROOT    prints what breaks the order, and rooms without a name, a line each; exit status 1 if
                      there are any.
"""
import pathlib
import re
import sys

# Lower rooms first. A file at the root is a room of its own; `include` and `kernels/shared` are below all.
HOST = ["threads", "text", "opencl", "primitives", "frame", "hulls", "meshes", "shapes", "scene", "terrain", "upload",
        "backend.hpp",
        "opencl_backend.hpp",
        "device_scene", "broad_phase", "contacts", "narrow_phase", "contact_reduction", "tracking", "pipeline",
        "resident", "queries",
        "collider", "reference", "validation", "devices", "planning", "api", "c_api", "files", "batch", "scenarios",
        "service", "client", "python"]
KERNELS = ["shared", "math", "launch", "shapes", "edges", "terrain", "pairs", "meshes", "rays", "distance", "motion",
           "primitives", "upload", "broad_phase", "narrow_phase", "contact_reduction", "tracking", "queries"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def files_of(folder):
    return sorted(f for f in folder.rglob("*") if f.suffix in (".cpp", ".hpp", ".h", ".cl", ".clh"))


def breaks(folder, order):
    """Lines on includes against the order, and on files that are in no room."""
    lines = []
    rank = {room: i for i, room in enumerate(order)}
    for file in files_of(folder):
        here = file.relative_to(folder)
        if here.parts[0] not in rank:
            lines.append(f"{here}: its room is not in the order")
            continue
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            target = folder / name if (folder / name).exists() else file.parent / name
            if not target.exists() or folder.resolve() not in target.resolve().parents:
                continue  # of the API, of kernels/shared, or made by the build
            room = target.resolve().relative_to(folder.resolve()).parts[0]
            if room not in rank:
                lines.append(f"{here} includes {name}: its room is not in the order")
            elif rank[room] > rank[here.parts[0]]:
                lines.append(f"{here} includes {name}: {room} is higher than {here.parts[0]}")
    return lines


root = pathlib.Path(sys.argv[1])
lines = [f"{name}/{line}" for name, order in (("host", HOST), ("kernels", KERNELS))
         for line in breaks(root / name, order)]
# The rows of its tables begin with the rooms' names.
cells = re.findall(r"^\| ([a-z_, ]+) \|", (root / "docs/architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
named = {room for cell in cells for room in cell.split(", ")}
lines += [f"docs/architecture.md does not name {name}/{folder.name}" for name in ("host", "kernels")
          for folder in sorted((root / name).iterdir()) if folder.is_dir() and folder.name not in named]
counts = [len(files_of(root / name)) for name in ("host", "kernels")]
print("\n".join(lines) or f"{counts[0]} files of host and {counts[1]} of kernels keep the order")
sys.exit(1 if lines or min(counts) == 0 else 0)
