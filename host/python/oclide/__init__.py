"""oclide: collision of millions of bodies with terrain and each other on any OpenCL device.

World: right-handed, z up, metres. Poses are float64 arrays: position (n, 3), orientation (n, 4) as w, x, y, z.

    import oclide

    ground = oclide.Terrain([[0.0, 0.0], [0.0, 0.0]], spacing=(10.0, 10.0))
    bodies = oclide.Bodies(shape=[oclide.Shape.SPHERE, oclide.Shape.BOX], size=[[0.5, 0, 0], [0.4, 0.4, 0.2]])
    collider = oclide.Collider()
    collider.set_scene(oclide.Scene(bodies, terrains=[ground]))
    frame = collider.collide([[2.0, 5.0, 0.48], [6.0, 5.0, 0.19]], [[1, 0, 0, 0], [1, 0, 0, 0]])
    print(frame.body_a, frame.point, frame.normal, frame.depth)
"""

from ._arrays import (
    CONTACT_DTYPE,
    DEVICE_CONTACT_DTYPE,
    DEVICE_COUNTS_DTYPE,
    DEVICE_EVENT_DTYPE,
    DEVICE_HIT_DTYPE,
    DEVICE_IMPACT_DTYPE,
    DEVICE_MANIFOLD_DTYPE,
    EVENT_DTYPE,
    HIT_DTYPE,
    IMPACT_DTYPE,
    PATH_POINT_DTYPE,
)
from ._batch import BatchTable, batch
from ._decompose import decompose
from ._files import (
    ContactFile,
    ContactWriter,
    SceneFile,
    SceneWriter,
    read_contacts,
    read_scene,
    write_contacts,
    write_scene,
)
from ._library import get_include, get_library
from ._models import mujoco_model
from ._mujoco import MujocoScene, from_mujoco
from ._oclide import (
    NO_TERRAIN,
    NONE,
    NOTHING,
    SENSOR,
    SENSOR_CONTACT,
    STATIC,
    TERRAIN,
    BatchRow,
    Calibration,
    CastTimes,
    Change,
    Collider,
    DeviceArray,
    DeviceError,
    DeviceFrame,
    DeviceHits,
    DeviceImpacts,
    DeviceInfo,
    Distances,
    Error,
    Frame,
    Impacts,
    InvalidInputError,
    MemoryPlan,
    Overlaps,
    Paths,
    PlannedBuffer,
    QueryTimes,
    RayHits,
    RayReport,
    Shape,
    Staged,
    StageTimes,
    SweepReport,
    SweepTimes,
    ValidationReport,
    Validator,
    break_even,
    calibrate,
    check,
    contact_hash,
    device_layout,
    devices,
    fastest_device,
    hit_hash,
    impact_hash,
    plan_memory,
)
from ._oclide import VERSION as __version__
from ._rays import PathEnd, depth_camera, height_scan, lidar, line_of_sight
from ._rerun import rerun
from ._scene import Bodies, Compound, Mesh, Scene, Terrain
from ._service import (LimitError, RemoteCollider, RemoteDevice, RemoteDistances, RemoteFrame, RemoteHits,
                       RemoteImpacts, RemoteOverlaps, Service, ServiceError, connect)
from ._workshop import Workshop, workshop

for _error in (Error, InvalidInputError, DeviceError, LimitError, ServiceError):
    _error.__module__ = __name__

__all__ = [
    "CONTACT_DTYPE", "DEVICE_CONTACT_DTYPE", "DEVICE_COUNTS_DTYPE", "DEVICE_EVENT_DTYPE", "DEVICE_HIT_DTYPE",
    "DEVICE_IMPACT_DTYPE", "DEVICE_MANIFOLD_DTYPE", "EVENT_DTYPE", "HIT_DTYPE", "IMPACT_DTYPE", "NONE", "NOTHING",
    "NO_TERRAIN", "PATH_POINT_DTYPE", "SENSOR", "SENSOR_CONTACT", "STATIC", "TERRAIN",
    "BatchRow", "BatchTable", "Bodies", "Calibration", "CastTimes", "Change", "Collider", "Compound", "ContactFile",
    "ContactWriter", "DeviceArray", "DeviceError", "DeviceFrame", "DeviceHits", "DeviceImpacts", "DeviceInfo",
    "Distances", "Error", "Frame", "Impacts", "InvalidInputError", "LimitError", "MemoryPlan", "Mesh", "MujocoScene",
    "Overlaps", "PathEnd", "Paths", "PlannedBuffer", "QueryTimes", "RayHits", "RayReport", "RemoteCollider",
    "RemoteDevice", "RemoteDistances", "RemoteFrame", "RemoteHits", "RemoteImpacts", "RemoteOverlaps", "Scene",
    "SceneFile", "SceneWriter", "Service", "ServiceError", "Shape", "Staged", "StageTimes", "SweepReport", "SweepTimes",
    "Terrain", "ValidationReport", "Validator", "Workshop", "__version__",
    "batch", "break_even", "calibrate", "check", "connect", "contact_hash", "decompose", "depth_camera",
    "device_layout", "devices", "fastest_device", "from_mujoco", "get_include", "get_library", "height_scan",
    "hit_hash", "impact_hash", "lidar", "line_of_sight", "mujoco_model", "plan_memory", "read_contacts", "read_scene",
    "rerun", "workshop", "write_contacts", "write_scene",
]
