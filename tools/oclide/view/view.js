"use strict";
// Draws the scene of the page. Texts of files only ever become text nodes.
(async () => {
  const kChosenColour = [0xf4, 0xf9, 0x3c];
  const kStatic = 1, kNoTerrain = 2, kSensor = 4, kSensorContact = 1;
  const kTerrain = 0xffffffff, kNothing = 0xfffffffe;
  const kTerrainNumber = 0xffffff;  // in the picture of numbers
  const kMostRows = 200;            // of a list of contacts
  const kManyContacts = 20000;      // of a frame

  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  const fail = (text) => {
    byId("message").textContent = text;
    root.dataset.state = "failed";
  };
  const data = JSON.parse(byId("data").textContent);

  // ---- shapes and colours, as the command has them ----
  const rgbOf = (hex) => [hex >> 16, (hex >> 8) & 255, hex & 255];
  const shapes = new Map(data.shapes.map((shape) => [shape.number, {...shape, words: shape.name.replaceAll("_", " ")}]));
  const [kSphere, kBox, kCylinder, kCapsule, kHull, kHalfSpace, kCompound, kMesh] =
    ["sphere", "box", "cylinder", "capsule", "convex_hull", "half_space", "compound", "triangle_mesh"]
      .map((name) => data.shapes.find((shape) => shape.name === name).number);
  const kMaterialColours = data.colours.materials, kRamp = data.colours.depths.map(rgbOf);
  const kApartColour = rgbOf(data.colours.apart), kSensorColour = rgbOf(data.colours.sensor);
  const kImpactColour = rgbOf(data.colours.impact), kPathColour = rgbOf(data.colours.path);
  const kRayColour = rgbOf(data.colours.ray), kMissColour = rgbOf(data.colours.miss);

  // ---- arrays ----
  const kArrays = {f32: Float32Array, i32: Int32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array};
  const unpack = async (packed) => {
    const kind = kArrays[packed.type], width = kind.BYTES_PER_ELEMENT, count = packed.count;
    const text = atob(byId("blob" + packed.blob).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    if (width === 1) return planes;
    const joined = new Uint8Array(width * count);
    for (let k = 0; k < width; ++k)
      for (let i = 0, from = k * count, to = k; i < count; ++i, to += width) joined[to] = planes[from + i];
    return new kind(joined.buffer);
  };
  // All arrays of an object and of those in it.
  const unpackAll = async (object) => {
    if (Array.isArray(object)) return Promise.all(object.map(unpackAll));
    if (object === null || typeof object !== "object") return object;
    if ("blob" in object) return unpack(object);
    const made = {};
    for (const [name, value] of Object.entries(object)) made[name] = await unpackAll(value);
    return made;
  };

  if (typeof THREE === "undefined") return fail("three.js is missing in this page");
  if (typeof DecompressionStream === "undefined") return fail("this browser cannot unpack the page: it needs DecompressionStream");
  const canvas = byId("canvas");
  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({canvas, antialias: true, alpha: true});
  } catch (error) {
    return fail("this browser has no WebGL");
  }
  const {bodies, hulls, meshes, compounds, terrains, environment_terrain: environmentTerrain, paths} = await unpackAll({
    bodies: data.bodies, hulls: data.hulls, meshes: data.meshes, compounds: data.compounds, terrains: data.terrains,
    environment_terrain: data.environment_terrain, paths: data.paths || null,
  });
  const frameCount = data.frames.length;
  const flagsOf = (body) => (bodies.flags ? bodies.flags[body] : 0);
  const flagsWords = (body) => [[kStatic, "static"], [kSensor, "sensor"], [kNoTerrain, "does not meet terrain"]]
    .filter(([flag]) => flagsOf(body) & flag).map(([, word]) => word).join(", ");
  const environmentOf = (body) => (bodies.environment ? bodies.environment[body] : 0);
  let environments = Math.max(1, environmentTerrain.length);
  if (bodies.environment) for (const e of bodies.environment) if (e >= environments) environments = e + 1;
  const terrainOf = (environment) => environmentTerrain.length ? environmentTerrain[environment] : terrains.length ? 0 : -1;

  // ---- numbers as text ----
  const count = (n) => Math.round(n).toLocaleString("en");
  const counted = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
  const metres = (x) => {
    const size = Math.abs(x);
    return size === 0 ? "0" : size < 1e-3 ? x.toExponential(2) : size < 10 ? x.toFixed(4) : x.toFixed(3);
  };
  const millimetres = (x) => {
    const mm = 1000 * x, size = Math.abs(mm);
    return size === 0 ? "0" : size < 0.001 ? mm.toExponential(1) : size < 10 ? mm.toFixed(3) : mm.toFixed(1);
  };
  // Without a minus before zeros.
  const fixed = (x, digits) => x.toFixed(digits).replace(/^-(0[.0]*)$/, "$1");
  // In the unit of `like`.
  const lengthText = (x, like = x) => Number((like < 0.1 ? 1000 * x : x).toPrecision(3)) + (like < 0.1 ? " mm" : " m");

  // ---- quaternions (x, y, z, w) ----
  const product = (a, b) => [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
  const turned = (q, v) => {
    const [x, y, z, w] = q;
    const a = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
    return [v[0] + 2 * (y * a[2] - z * a[1]), v[1] + 2 * (z * a[0] - x * a[2]), v[2] + 2 * (x * a[1] - y * a[0])];
  };
  const quaternion = (wxyz, i) => {
    const [w, x, y, z] = wxyz.subarray(4 * i, 4 * i + 4);
    const norm = Math.hypot(w, x, y, z) || 1;
    return [x / norm, y / norm, z / norm, w / norm];
  };

  // ---- the frame that is shown ----
  const frames = new Array(frameCount).fill(null);
  const frameAt = (k) => (frames[k] = frames[k] || unpackAll(data.frames[k]));
  let index = 0, frame = await frameAt(0), moment = 0, chosen = -1, environment = environments > 1 ? 0 : -1;
  const hasMotion = data.frames.some((f) => f.displacement || f.rotation);
  const hasContacts = data.frames.some((f) => f.contacts), hasImpacts = data.frames.some((f) => f.impacts);
  const hasRays = data.frames.some((f) => f.rays);

  // Where a body is at this time of the frame.
  const poseOf = (body, time) => {
    const at = [...frame.position.subarray(3 * body, 3 * body + 3)];
    let turn = quaternion(frame.orientation, body);
    if (time > 0 && frame.displacement)
      for (let a = 0; a < 3; ++a) at[a] += time * frame.displacement[3 * body + a];
    if (time > 0 && frame.rotation) {
      const r = frame.rotation.subarray(3 * body, 3 * body + 3), angle = time * Math.hypot(...r);
      if (angle > 0) {
        const s = Math.sin(angle / 2) / Math.hypot(...r);
        turn = product([s * r[0], s * r[1], s * r[2], Math.cos(angle / 2)], turn);
      }
    }
    return {at, turn};
  };

  // ---- solids ----
  // Points with normals; `cap` says to which end of a capsule a point goes.
  const surface = (points, normals, caps, triangles) => ({points, normals, caps, triangles});
  const roundSurface = (capsule, fine) => {
    const around = fine, rings = fine / 2, points = [], caps = [], triangles = [];
    for (let i = 0; i <= rings + (capsule ? 1 : 0); ++i) {
      const upper = !capsule || i > rings / 2;
      const angle = Math.PI * ((capsule && upper ? i - 1 : i) / rings) - Math.PI / 2;
      for (let j = 0; j < around; ++j) {
        const a = (2 * Math.PI * j) / around;
        points.push(Math.cos(angle) * Math.cos(a), Math.cos(angle) * Math.sin(a), Math.sin(angle));
        caps.push(capsule ? (upper ? 1 : -1) : 0);
      }
    }
    const count = points.length / 3 / around;
    for (let i = 0; i + 1 < count; ++i)
      for (let j = 0; j < around; ++j) {
        const a = i * around + j, b = i * around + ((j + 1) % around);
        triangles.push(a, b, b + around, a, b + around, a + around);
      }
    return surface(points, points.slice(), caps, triangles);
  };
  const cylinderSurface = (fine) => {
    const points = [], normals = [], triangles = [];
    for (let j = 0; j < fine; ++j) {
      const a = (2 * Math.PI * j) / fine, c = Math.cos(a), s = Math.sin(a);
      for (const z of [-1, 1]) {
        points.push(c, s, z, c, s, z);
        normals.push(c, s, 0, 0, 0, z);
      }
    }
    for (let j = 0; j < fine; ++j) {
      const a = 4 * j, b = 4 * ((j + 1) % fine);
      triangles.push(a, b, b + 2, a, b + 2, a + 2);
      if (j > 0 && j + 1 < fine) triangles.push(1, b + 1, a + 1, 3, a + 3, b + 3);
    }
    return surface(points, normals, new Array(points.length / 3).fill(0), triangles);
  };
  const boxSurface = () => {
    const points = [], normals = [], triangles = [];
    for (let axis = 0; axis < 3; ++axis)
      for (const side of [-1, 1]) {
        const first = points.length / 3;
        for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
          const p = [0, 0, 0], n = [0, 0, 0];
          p[axis] = n[axis] = side;
          p[(axis + 1) % 3] = u * side;
          p[(axis + 2) % 3] = v;
          points.push(...p);
          normals.push(...n);
        }
        triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
      }
    return surface(points, normals, new Array(24).fill(0), triangles);
  };

  // Each group of parts is drawn with one call: all parts of a shape, of a hull, of a mesh and a material of it.
  const groups = new Map();
  const reach = new Float32Array(bodies.count);  // about the body's position
  const groupOf = (key, make) => {
    if (!groups.has(key)) groups.set(key, {...make(), bodies: [], parts: []});
    return groups.get(key);
  };
  let sizeSum = 0, sizeCount = 0;
  const surfaceOf = (all, k, material) => {
    const first = all.first_triangle[k], end = all.first_triangle[k + 1];
    const points = all.vertices.subarray(3 * all.first_vertex[k], 3 * all.first_vertex[k + 1]);
    let triangles = all.triangles.subarray(3 * first, 3 * end);
    if (material >= 0) {
      const kept = [];
      for (let t = first; t < end; ++t)
        if (all.material[t] === material) kept.push(...all.triangles.subarray(3 * t, 3 * t + 3));
      triangles = Uint32Array.from(kept);
    }
    return surface(points, new Float32Array(points.length), new Float32Array(points.length / 3), triangles);
  };
  const farthest = (all, k) => {
    let most = 0;
    for (let i = all.first_vertex[k]; i < all.first_vertex[k + 1]; ++i)
      most = Math.max(most, Math.hypot(all.vertices[3 * i], all.vertices[3 * i + 1], all.vertices[3 * i + 2]));
    return most;
  };
  const known = new Map();  // reach of hulls and meshes
  const reachOf = (shape, a, b, c) => {
    if (shape === kSphere) return a;
    if (shape === kBox) return Math.hypot(a, b, c);
    if (shape === kCylinder) return Math.hypot(a, b);
    if (shape === kCapsule) return a + b;
    if (shape === kHalfSpace) return 0;
    const key = shape + " " + a;
    if (!known.has(key)) known.set(key, farthest(shape === kHull ? hulls : meshes, a));
    return known.get(key);
  };
  const fine = bodies.count < 2000 ? 32 : bodies.count < 20000 ? 16 : 8;
  // part: -1, or the place in `compounds`.
  const addPart = (body, part, shape, a, b, c) => {
    const put = (key, make) => {
      const group = groupOf(key, make);
      group.bodies.push(body);
      group.parts.push(part);
    };
    if (shape === kSphere) put("sphere", () => ({shape, made: roundSurface(false, fine)}));
    else if (shape === kBox) put("box", () => ({shape, made: boxSurface()}));
    else if (shape === kCylinder) put("cylinder", () => ({shape, made: cylinderSurface(fine)}));
    else if (shape === kCapsule) put("capsule", () => ({shape, made: roundSurface(true, fine)}));
    else if (shape === kHull) put("hull " + a, () => ({shape, made: surfaceOf(hulls, a, -1)}));
    else if (shape === kHalfSpace)
      put("half space", () => ({shape, grid: true, made: surface([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0],
        [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 2, 0, 2, 3])}));
    else if (!meshes.material) put("mesh " + a, () => ({shape, made: surfaceOf(meshes, a, -1)}));
    else
      for (const m of new Set(meshes.material.subarray(meshes.first_triangle[a], meshes.first_triangle[a + 1])))
        put("mesh " + a + " " + m, () => ({shape, colour: m === 0 ? undefined : kMaterialColours[(m + 1) % kMaterialColours.length],
          made: surfaceOf(meshes, a, m)}));
    return reachOf(shape, a, b, c);
  };
  for (let i = 0; i < bodies.count; ++i) {
    const shape = bodies.shape[i], [a, b, c] = bodies.size.subarray(3 * i, 3 * i + 3);
    if (shape !== kCompound) {
      reach[i] = addPart(i, -1, shape, a, b, c);
    } else {
      for (let p = compounds.first[a]; p < compounds.first[a + 1]; ++p) {
        const of = addPart(i, p, compounds.shape[p], ...compounds.size.subarray(3 * p, 3 * p + 3));
        reach[i] = Math.max(reach[i], of + Math.hypot(...compounds.position.subarray(3 * p, 3 * p + 3)));
      }
    }
    if (reach[i] > 0 && shape !== kMesh) {
      sizeSum += Math.log(reach[i]);
      ++sizeCount;
    }
  }
  const typical = sizeCount ? Math.exp(sizeSum / sizeCount) : 1;  // radius of a body

  // Corners of the box around a hull or mesh.
  const cornersOf = (all, k) => {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 3 * all.first_vertex[k]; i < 3 * all.first_vertex[k + 1]; ++i) {
      low[i % 3] = Math.min(low[i % 3], all.vertices[i]);
      high[i % 3] = Math.max(high[i % 3], all.vertices[i]);
    }
    return [0, 1, 2, 3, 4, 5, 6, 7].map((c) => low.map((v, a) => (c & (1 << a) ? high[a] : v)));
  };
  const isShown = (body) => environment < 0 || environmentOf(body) === environment;
  // The box that a view of all bodies shows: bodies but for half spaces; terrain where there are none.
  const wholeBox = () => {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const add = (x, y, z, r) => [x, y, z].forEach((v, a) => {
      low[a] = Math.min(low[a], v - r);
      high[a] = Math.max(high[a], v + r);
    });
    for (let i = 0; i < bodies.count; ++i) {
      if (bodies.shape[i] === kHalfSpace || !isShown(i)) continue;
      const {at, turn} = poseOf(i, 0);
      if (bodies.shape[i] !== kMesh) add(...at, reach[i]);
      else for (const c of cornersOf(meshes, bodies.size[3 * i])) add(...turned(turn, c).map((v, a) => v + at[a]), 0);
    }
    if (low[0] > high[0])
      for (const t of terrains)
        for (const z of t.heights)
          if (!Number.isNaN(z)) {
            add(t.origin[0], t.origin[1], z, 0);
            add(t.origin[0] + (t.cols - 1) * t.spacing[0], t.origin[1] + (t.rows - 1) * t.spacing[1], z, 0);
          }
    if (low[0] > high[0]) add(0, 0, 0, 5);
    const half = low.map((v, a) => 0.5 * (high[a] - v));
    return {middle: low.map((v, a) => 0.5 * (v + high[a])), half, radius: Math.max(1e-3, Math.hypot(...half))};
  };
  let ball = wholeBox();

  // ---- what the graphics card does ----
  const numbers = {value: 0};  // 1: bodies are drawn in the colour of their number
  const light = {value: new THREE.Vector3(-0.45, -0.35, 0.82).normalize()};
  const kFragment = `
    varying vec3 vTint; varying vec3 vNumber; varying vec3 vNormal; varying vec3 vAt; varying vec2 vPlane;
    uniform float numbers; uniform vec3 light; uniform float cell;
    void main() {
      if (numbers > 0.5) { gl_FragColor = vec4(vNumber, 1.0); return; }
      vec3 n = dot(vNormal, vNormal) > 0.25 ? normalize(vNormal) : normalize(cross(dFdx(vAt), dFdy(vAt)));
      vec3 eye = normalize(cameraPosition - vAt);
      if (dot(n, eye) < 0.0) n = -n;
      vec3 colour = vTint;
      if (cell > 0.0) {
        vec2 at = floor(vPlane / cell);
        if (mod(at.x + at.y, 2.0) < 0.5) colour *= 0.93;
      }
      colour *= 0.46 + 0.42 * max(dot(n, light), 0.0) + 0.2 * dot(n, eye);
      gl_FragColor = vec4(colour, 1.0);
    }`;
  const kSolidVertex = `
    attribute vec3 at; attribute vec4 turn; attribute vec4 scale; attribute vec3 tint; attribute vec3 number; attribute float cap;
    varying vec3 vTint; varying vec3 vNumber; varying vec3 vNormal; varying vec3 vAt; varying vec2 vPlane;
    vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
    void main() {
      vec3 local = position * scale.xyz + vec3(0.0, 0.0, cap * scale.w);
      vAt = at + turned(turn, local);
      vNormal = turned(turn, normal / max(scale.xyz, vec3(1e-9)) * min(scale.x, min(scale.y, scale.z)));
      if (dot(normal, normal) > 0.25) vNormal = normalize(vNormal);
      vTint = tint; vNumber = number; vPlane = local.xy;
      gl_Position = projectionMatrix * viewMatrix * vec4(vAt, 1.0);
    }`;
  const kTerrainVertex = `
    uniform vec3 tint; uniform vec2 heights; uniform float tinted;
    varying vec3 vTint; varying vec3 vNumber; varying vec3 vNormal; varying vec3 vAt; varying vec2 vPlane;
    void main() {
      vAt = position; vNormal = vec3(0.0); vNumber = vec3(1.0); vPlane = position.xy;
      float h = clamp((position.z - heights.x) * heights.y, 0.0, 1.0);
      vTint = tinted > 0.5 ? mix(vec3(0.60, 0.66, 0.55), vec3(0.84, 0.80, 0.70), h) : tint;
      gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
    }`;
  const material = (vertexShader, uniforms, side) => new THREE.ShaderMaterial({
    vertexShader, fragmentShader: kFragment, side, uniforms: {numbers, light, cell: {value: 0}, ...uniforms},
    extensions: {derivatives: true},
  });
  const scene = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(45, 1, 0.01, 1000);
  camera.up.set(0, 0, 1);
  const controls = new THREE.OrbitControls(camera, canvas);
  controls.enableKeys = false;
  controls.screenSpacePanning = true;
  controls.rotateSpeed = 0.7;
  let dirty = true;
  const draw = () => { dirty = true; };
  controls.addEventListener("change", draw);

  const kNice = [1, 2, 5];
  const niceLength = (x) => {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * kNice.reduce((best, n) => (n * power <= x ? n : best), 1);
  };
  const plateHalf = () => 1.6 * ball.radius + 2 * typical;
  for (const group of groups.values()) {
    const geometry = new THREE.InstancedBufferGeometry();
    const n = group.bodies.length;
    const put = (name, array, width, normalized) =>
      geometry.setAttribute(name, new THREE.BufferAttribute(Float32Array.from(array), width, normalized));
    put("position", group.made.points, 3);
    put("normal", group.made.normals, 3);
    put("cap", group.made.caps, 1);
    geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(group.made.triangles), 1));
    const instance = (name, array, width, normalized) => {
      group[name] = new THREE.InstancedBufferAttribute(array, width, normalized);
      group[name].setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute(name, group[name]);
    };
    instance("at", new Float32Array(3 * n), 3);
    instance("turn", new Float32Array(4 * n), 4);
    instance("scale", new Float32Array(4 * n), 4);
    instance("tint", new Uint8Array(3 * n), 3, true);
    instance("number", new Uint8Array(3 * n), 3, true);
    const made = material(kSolidVertex, {}, group.shape === kMesh ? THREE.DoubleSide : THREE.FrontSide);
    group.mesh = new THREE.Mesh(geometry, made);
    group.mesh.frustumCulled = false;
    group.made = null;
    scene.add(group.mesh);
  }

  // ---- terrain ----
  const stride = data.terrain_stride;
  const terrainObjects = terrains.map((t) => {
    const rows = Math.floor((t.rows - 2 + stride) / stride) + 1, cols = Math.floor((t.cols - 2 + stride) / stride) + 1;
    const points = new Float32Array(3 * rows * cols);
    let low = Infinity, high = -Infinity;
    for (let i = 0, k = 0; i < rows; ++i)
      for (let j = 0; j < cols; ++j, ++k) {
        const z = t.heights[k];
        points[3 * k] = t.origin[0] + Math.min(j * stride, t.cols - 1) * t.spacing[0];
        points[3 * k + 1] = t.origin[1] + Math.min(i * stride, t.rows - 1) * t.spacing[1];
        points[3 * k + 2] = z;
        if (z < low) low = z;
        if (z > high) high = z;
      }
    const position = new THREE.BufferAttribute(points, 3);
    const cells = new Map();  // triangles by material
    for (let i = 0, cell = 0; i + 1 < rows; ++i)
      for (let j = 0; j + 1 < cols; ++j, ++cell) {
        const a = i * cols + j, b = a + 1, c = a + cols, d = c + 1;
        if (t.open && t.open[cell]) continue;
        if (Number.isNaN(t.heights[a] + t.heights[b] + t.heights[c] + t.heights[d])) continue;
        const of = t.material ? t.material[cell] : -1;
        if (!cells.has(of)) cells.set(of, []);
        const rises = t.diagonal === 1 || t.diagonal === 2 + (i + j) % 2;  // of all, of even or of odd ones
        if (rises) cells.get(of).push(b, d, a, c, a, d);
        else cells.get(of).push(a, b, c, d, c, b);
      }
    const object = new THREE.Group();
    for (const [of, triangles] of cells) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", position);
      geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(triangles), 1));
      const made = material(kTerrainVertex, {
        tint: {value: new THREE.Color(kMaterialColours[Math.max(0, of) % kMaterialColours.length])},
        tinted: {value: of < 0 ? 1 : 0},
        heights: {value: new THREE.Vector2(low, 1 / Math.max(1e-9, high - low))},
      }, THREE.FrontSide);
      const mesh = new THREE.Mesh(geometry, made);
      mesh.frustumCulled = false;
      object.add(mesh);
    }
    scene.add(object);
    return object;
  });

  // ---- points and lines ----
  const kPointVertex = `
    attribute vec3 colour; attribute float size;
    varying vec3 vColour; uniform float ratio; uniform float bodyPixels;
    void main() {
      vColour = colour;
      gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
      gl_PointSize = ratio * min(size, max(2.0, bodyPixels / gl_Position.w));  // small where bodies are
    }`;
  const kPointFragment = `
    varying vec3 vColour; uniform float ring;
    void main() {
      vec2 p = 2.0 * gl_PointCoord - 1.0;
      float r = dot(p, p);
      if (r > 1.0) discard;
      if (ring > 0.5 && r < 0.3) discard;
      gl_FragColor = vec4(ring < 0.5 && r > 0.62 ? 0.25 * vColour : vColour, 1.0);
    }`;
  const kLineVertex = `
    attribute vec3 colour; varying vec3 vColour;
    void main() { vColour = colour; gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }`;
  const kLineFragment = "varying vec3 vColour; void main() { gl_FragColor = vec4(vColour, 1.0); }";
  const ratio = {value: 1}, bodyPixels = {value: 1};
  const marks = (isLines, ring) => {
    const made = new THREE.ShaderMaterial({
      vertexShader: isLines ? kLineVertex : kPointVertex, fragmentShader: isLines ? kLineFragment : kPointFragment,
      uniforms: {ratio, bodyPixels, ring: {value: ring ? 1 : 0}}, depthTest: true,
    });
    const object = isLines ? new THREE.LineSegments(new THREE.BufferGeometry(), made) :
      new THREE.Points(new THREE.BufferGeometry(), made);
    object.frustumCulled = false;
    object.visible = false;
    scene.add(object);
    // positions: 3 numbers a point; colours: 3 a point, 0 to 255; sizes: pixels
    const set = (positions, colours, sizes) => {
      object.geometry.dispose();
      object.geometry = new THREE.BufferGeometry();
      object.geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(positions), 3));
      object.geometry.setAttribute("colour", new THREE.BufferAttribute(Uint8Array.from(colours), 3, true));
      if (!isLines) object.geometry.setAttribute("size", new THREE.BufferAttribute(Float32Array.from(sizes), 1));
      object.count = positions.length / 3;
    };
    return {object, set};
  };
  const rayLines = marks(true), rayEnds = marks(false), pathLines = marks(true), pathPoints = marks(false);
  const ways = marks(true), normals = marks(true), contactPoints = marks(false);
  const impactNormals = marks(true), impactPoints = marks(false, true);
  const inFront = [normals, contactPoints, impactNormals, impactPoints];
  inFront.forEach((m, k) => { m.object.renderOrder = 1 + k; });

  const rampAt = (depth) => {
    if (!(depth > 0)) return depth <= 0 ? kApartColour : kRamp[0];
    const x = Math.min(1, depth / (data.deep || 1)) * (kRamp.length - 1), k = Math.min(kRamp.length - 2, Math.floor(x));
    return kRamp[k].map((v, a) => Math.round(v + (x - k) * (kRamp[k + 1][a] - v)));
  };

  // ---- switches ----
  const switches = {};
  const addSwitch = (name, text, key, on) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.id = "show_" + name;
    box.checked = on;
    label.append(box, text);
    byId("switches").append(label);
    switches[name] = {box, key};
    box.addEventListener("change", () => { update(); });
  };
  const isOn = (name) => Boolean(switches[name] && switches[name].box.checked);
  addSwitch("bodies", "bodies", "b", true);
  if (terrains.length) addSwitch("terrain", "terrain", "t", true);
  // So many points and lines would cover the bodies.
  const areMany = Boolean(frame.contacts) && frame.contacts.body_a.length > kManyContacts;
  if (hasContacts) {
    addSwitch("contacts", "contacts", "c", true);
    addSwitch("normals", "normals", "n", !areMany);
  }
  if (hasImpacts) addSwitch("impacts", "impacts", "i", true);
  if (hasMotion) addSwitch("ways", "ways of bodies", "w", hasImpacts);
  if (hasRays) addSwitch("rays", "rays", "r", true);
  if (paths) addSwitch("paths", "paths", "p", true);
  if (hasContacts || hasImpacts) addSwitch("through", "seen through bodies", "x", !areMany);

  // ---- drawing of a frame ----
  const touching = new Uint8Array(bodies.count);
  const noteTouching = () => {
    touching.fill(0);
    const {contacts} = frame;
    if (!contacts) return;
    for (let i = 0; i < contacts.body_a.length; ++i) {
      touching[contacts.body_a[i]] = 1;
      if (contacts.body_b[i] !== kTerrain) touching[contacts.body_b[i]] = 1;
    }
  };
  const placeBodies = () => {
    for (const group of groups.values()) {
      const {at, turn, scale, tint, number} = group;
      if (group.grid) group.mesh.material.uniforms.cell.value = niceLength(plateHalf() / 8);
      const base = group.colour === undefined ? shapes.get(group.shape).colour : group.colour;
      let n = 0;
      for (let k = 0; k < group.bodies.length; ++k) {
        const body = group.bodies[k], part = group.parts[k];
        if (!isShown(body)) continue;
        const pose = poseOf(body, moment);
        let size = bodies.size.subarray(3 * body, 3 * body + 3);
        if (part >= 0) {
          size = compounds.size.subarray(3 * part, 3 * part + 3);
          const there = turned(pose.turn, compounds.position.subarray(3 * part, 3 * part + 3));
          pose.at = pose.at.map((v, a) => v + there[a]);
          pose.turn = product(pose.turn, quaternion(compounds.orientation, part));
        }
        if (group.shape === kHalfSpace) {  // the part of it that is next to the scene
          const up = turned(pose.turn, [0, 0, 1]);
          const above = up.reduce((sum, v, a) => sum + v * (ball.middle[a] - pose.at[a]), 0);
          pose.at = ball.middle.map((v, a) => v - above * up[a]);
        }
        at.array.set(pose.at, 3 * n);
        turn.array.set(pose.turn, 4 * n);
        const [a, b, c] = size;
        scale.array.set(group.shape === kSphere ? [a, a, a, 0] : group.shape === kBox ? [a, b, c, 0] :
          group.shape === kCylinder ? [a, a, b, 0] : group.shape === kCapsule ? [a, a, a, b] :
          group.shape === kHalfSpace ? [plateHalf(), plateHalf(), 1, 0] : [1, 1, 1, 0], 4 * n);
        let colour = [base >> 16, (base >> 8) & 255, base & 255];
        if (body === chosen) colour = colour.map((v, a) => Math.round(0.15 * v + 0.85 * kChosenColour[a]));
        else if (flagsOf(body) & kSensor && group.shape !== kHalfSpace) colour = colour.map((v, a) => Math.round(0.45 * v + 0.55 * kSensorColour[a]));
        else if (flagsOf(body) & kStatic && group.shape !== kHalfSpace) colour = colour.map((v) => Math.round(0.62 * v));
        else if (frame.contacts && !touching[body] && group.shape !== kHalfSpace && group.shape !== kMesh)
          colour = colour.map((v) => Math.round(0.5 * v + 0.5 * 165));
        tint.array.set(colour, 3 * n);
        number.array.set([(body + 1) >> 16, ((body + 1) >> 8) & 255, (body + 1) & 255], 3 * n);
        ++n;
      }
      for (const attribute of [at, turn, scale, tint, number]) attribute.needsUpdate = true;
      group.mesh.geometry.maxInstancedCount = n;
      group.count = n;
    }
  };
  const normalLength = () => 3 * typical * (Number(byId("normal_length").value) / 100) ** 2;
  // Of contacts and impacts: which belong to what is shown.
  const touchShown = (t, i) => isShown(t.body_a[i]);
  const isOfSensor = (t, i) => Boolean(t.flags && t.flags[i] & kSensorContact);
  const ofChosen = (t, i) => t.body_a[i] === chosen || t.body_b[i] === chosen;
  const shownCounts = {};
  const placeTouches = (t, points, lines, shownAt, colourOf) => {
    const positions = [], colours = [], sizes = [], ends = [], endColours = [], length = normalLength();
    let n = 0;
    for (let i = 0; t && i < t.body_a.length; ++i) {
      if (!touchShown(t, i) || !shownAt(i)) continue;
      ++n;
      const colour = colourOf(i), p = t.point.subarray(3 * i, 3 * i + 3);
      const bright = chosen < 0 || ofChosen(t, i);
      positions.push(...p);
      colours.push(...colour);
      sizes.push(bright ? (chosen >= 0 ? 11 : 7) : 3);
      if (!bright) continue;
      ends.push(...p, ...p.map((v, a) => v + length * t.normal[3 * i + a]));
      endColours.push(...colour, ...colour);
    }
    points.set(positions, colours, sizes);
    lines.set(ends, endColours);
    return n;
  };
  const placeMarks = () => {
    const still = moment === 0, through = isOn("through");
    for (const m of inFront) m.object.material.depthTest = !through;
    shownCounts.contacts = placeTouches(still ? frame.contacts : null, contactPoints, normals, () => true,
      (i) => (isOfSensor(frame.contacts, i) ? kSensorColour : rampAt(frame.contacts.depth[i])));
    contactPoints.object.visible = isOn("contacts") && shownCounts.contacts > 0;
    normals.object.visible = contactPoints.object.visible && isOn("normals") && normals.object.count > 0;
    shownCounts.impacts = placeTouches(frame.impacts, impactPoints, impactNormals,
      (i) => still || frame.impacts.time[i] <= moment + 1e-6, () => kImpactColour);
    impactPoints.object.visible = isOn("impacts") && shownCounts.impacts > 0;
    impactNormals.object.visible = impactPoints.object.visible && (isOn("normals") || !hasContacts);

    const lines = [], colours = [];
    if (isOn("ways") && frame.displacement)
      for (let i = 0; i < bodies.count; ++i) {
        const d = frame.displacement.subarray(3 * i, 3 * i + 3);
        if (!isShown(i) || (d[0] === 0 && d[1] === 0 && d[2] === 0)) continue;
        const p = frame.position.subarray(3 * i, 3 * i + 3);
        lines.push(...p, ...p.map((v, a) => v + d[a]));
        colours.push(...kImpactColour.map((v) => v >> 1), ...kImpactColour);
      }
    ways.set(lines, colours);
    ways.object.visible = lines.length > 0;

    const rays = [], rayColours = [], ends = [], endColours = [];
    if (isOn("rays") && frame.rays)
      for (let i = 0; i < frame.rays.body.length; ++i) {
        const miss = frame.rays.body[i] === kNothing, colour = miss ? kMissColour : kRayColour;
        const end = frame.rays.end.subarray(3 * i, 3 * i + 3);
        if (!miss && frame.rays.body[i] !== kTerrain && !isShown(frame.rays.body[i])) continue;
        rays.push(...frame.rays.start.subarray(3 * i, 3 * i + 3), ...end);
        rayColours.push(...colour, ...colour);
        if (miss) continue;
        ends.push(...end);
        endColours.push(...colour);
      }
    rayLines.set(rays, rayColours);
    rayEnds.set(ends, endColours, new Array(ends.length / 3).fill(5));
    shownCounts.rays = rays.length / 6;
    rayLines.object.visible = rays.length > 0;
    rayEnds.object.visible = ends.length > 0;
    pathLines.object.visible = pathPoints.object.visible = isOn("paths");
  };
  if (paths) {
    const lines = [], points = [];
    for (let k = 0; k + 1 < paths.offset.length; ++k)
      for (let i = paths.offset[k]; i < paths.offset[k + 1]; ++i) {
        const p = paths.point.subarray(3 * i, 3 * i + 3);
        if (i + 1 < paths.offset[k + 1]) lines.push(...p, ...paths.point.subarray(3 * i + 3, 3 * i + 6));
        if (i > paths.offset[k] && i + 1 < paths.offset[k + 1]) points.push(...p);
      }
    const coloured = (list) => list.map((v, k) => kPathColour[k % 3]);
    pathLines.set(lines, coloured(lines));
    pathPoints.set(points, coloured(points), new Array(points.length / 3).fill(5));
  }
  const shownTerrains = () => {
    const shown = new Set();
    if (environment >= 0) shown.add(terrainOf(environment));
    else if (bodies.environment) for (const e of bodies.environment) shown.add(terrainOf(e));
    else shown.add(terrainOf(0));
    if (bodies.count === 0 && environment < 0) terrains.forEach((t, k) => shown.add(k));
    return shown;
  };
  const placeTerrain = () => {
    const shown = shownTerrains();
    terrainObjects.forEach((object, k) => { object.visible = isOn("terrain") && shown.has(k); });
  };
  // The corners of terrain that is hardly larger than what lies on it: it is seen as a whole, too.
  const cornersOfTerrain = () => {
    const corners = [];
    for (const k of shownTerrains()) {
      const t = terrains[k];
      if (!t) continue;
      const far = t.spacing.map((d, a) => t.origin[a] + d * ([t.cols, t.rows][a] - 1));
      if (Math.hypot(far[0] - t.origin[0], far[1] - t.origin[1]) > 4 * ball.radius) continue;
      for (const x of [t.origin[0], far[0]]) for (const y of [t.origin[1], far[1]]) corners.push([x, y, ball.middle[2]]);
    }
    return corners;
  };

  // ---- the chosen body ----
  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    if (text !== "") made.textContent = text;
    if (className !== "") made.className = className;
    return made;
  };
  const absolute = (p) => [...p].map((v, a) => v + data.origin[a]).map((v) => fixed(v, Math.abs(v) < 10 ? 4 : 3)).join(", ");
  const other = (body) => {
    if (body === kTerrain) return document.createTextNode("terrain");
    const button = element("button", "body " + body, "link");
    button.type = "button";
    button.addEventListener("click", () => choose(body));
    return button;
  };
  const tableOf = (head, lines) => {
    const table = element("table"), tr = table.createTHead().insertRow(), body = table.createTBody();
    for (const h of head) tr.append(element("th", h));
    for (const line of lines) {
      const row = body.insertRow();
      for (const value of line) row.insertCell().append(value);
    }
    const scroll = element("div", "", "scroll");
    scroll.append(table);
    return scroll;
  };
  const listTouches = (to, t, name, column, order) => {
    const rows = [];
    for (let i = 0; t && i < t.body_a.length; ++i) if (ofChosen(t, i)) rows.push(i);
    rows.sort(order);
    const [one, many] = name;
    to.append(element("h3", rows.length ? counted(rows.length, one, many) : "no " + many));
    if (rows.length === 0) return;
    const table = tableOf(["with", column.head, "point, m", "normal from B"],
      rows.slice(0, kMostRows).map((i) => {
        const with_ = element("div");
        with_.append(other(t.body_a[i] === chosen ? t.body_b[i] : t.body_a[i]));
        if (t.element && t.element[i] !== kTerrain) with_.append(element("div", "triangle " + t.element[i]));
        if (t.flags && isOfSensor(t, i)) with_.append(element("div", "of a sensor"));
        return [with_, column.text(i), absolute(t.point.subarray(3 * i, 3 * i + 3)),
          [...t.normal.subarray(3 * i, 3 * i + 3)].map((v) => fixed(v, 3)).join(", ")];
      }));
    table.dataset.list = many;
    to.append(table);
    if (rows.length > kMostRows) to.append(element("p", "and " + count(rows.length - kMostRows) + " more", "faint"));
  };
  const sizeText = (i) => {
    const [a, b, c] = [...bodies.size.subarray(3 * i, 3 * i + 3)];
    const shape = bodies.shape[i];
    if (shape === kSphere) return ["radius", metres(a) + " m"];
    if (shape === kBox) return ["half extents", [a, b, c].map(metres).join(", ") + " m"];
    if (shape === kCylinder || shape === kCapsule) return ["radius, half length", metres(a) + ", " + metres(b) + " m"];
    if (shape === kHalfSpace) return ["solid", "below its plane"];
    return [shape === kHull ? "hull" : shape === kMesh ? "mesh" : "compound", String(a)];
  };
  const showChosen = () => {
    const to = byId("selection");
    to.replaceChildren();
    byId("look").disabled = chosen < 0;
    if (chosen < 0) return;
    const pose = poseOf(chosen, moment);
    to.append(element("h3", "body " + chosen + ": " + shapes.get(bodies.shape[chosen]).words));
    const facts = element("dl");
    const fact = (name, text) => facts.append(element("dt", name), element("dd", text));
    fact(...sizeText(chosen));
    fact("position", absolute(pose.at) + " m");
    if (environments > 1) fact("environment", String(environmentOf(chosen)));
    if (flagsOf(chosen)) fact("flags", flagsWords(chosen));
    to.append(facts);
    if (frame.contacts)
      listTouches(to, frame.contacts, ["contact", "contacts"],
        {head: "depth, mm", text: (i) => millimetres(frame.contacts.depth[i])},
        (i, j) => frame.contacts.depth[j] - frame.contacts.depth[i]);
    if (frame.impacts)
      listTouches(to, frame.impacts, ["impact", "impacts"], {head: "time", text: (i) => {
        const button = element("button", frame.impacts.time[i].toFixed(4), "link");
        button.type = "button";
        button.addEventListener("click", () => { setMoment(frame.impacts.time[i]); });
        return button;
      }}, (i, j) => frame.impacts.time[i] - frame.impacts.time[j]);
  };
  const choose = (body) => {
    chosen = body >= 0 && body < bodies.count ? body : -1;
    byId("body").value = chosen < 0 ? "" : String(chosen);
    if (chosen >= 0 && !isShown(chosen)) setEnvironment(environmentOf(chosen));
    update();
  };
  const lookAtChosen = () => {
    if (chosen < 0) return;
    const {at} = poseOf(chosen, moment);
    const away = camera.position.clone().sub(controls.target).normalize();
    const radius = bodies.shape[chosen] === kHalfSpace ? ball.radius : Math.max(reach[chosen], 0.2 * typical);
    controls.target.set(...at);
    camera.position.copy(controls.target).addScaledVector(away, 5 * radius);
    controls.update();
    draw();
  };

  // ---- legend and texts ----
  const css = (rgb) => "rgb(" + rgb.join(",") + ")";
  const addLegend = (colour, text, kind) => {
    const item = element("li"), swatch = element("span", "", "swatch" + (kind ? " " + kind : ""));
    swatch.style.background = css(colour);
    item.append(swatch, element("span", text));
    byId("legend").append(item);
  };
  const countShown = (holds) => {
    let n = 0;
    for (let i = 0; i < bodies.count; ++i) if (isShown(i) && holds(i)) ++n;
    return n;
  };
  const plural = new Map([[kBox, "boxes"], [kMesh, "meshes"]]);
  const sceneShapes = new Set(bodies.shape), partShapes = new Set([...groups.values()].map((group) => group.shape));
  const flagged = (flag) => (i) => (flagsOf(i) & flag) !== 0;
  // Of all environments, with numbers of what is shown. The colours are those of parts.
  const showLegend = () => {
    byId("legend").replaceChildren();
    for (const [number, {words, colour}] of shapes) {
      if (!partShapes.has(number)) continue;
      const n = countShown((i) => bodies.shape[i] === number), one = number === kMesh ? "mesh" : words;
      const text = sceneShapes.has(number) ? counted(n, one, plural.get(number) || one + "s") : words + " as part";
      addLegend(rgbOf(colour), text);
    }
    if (sceneShapes.has(kCompound))
      addLegend([0, 0, 0, 0], counted(countShown((i) => bodies.shape[i] === kCompound), "compound", "compounds"));
    if (hasContacts) addLegend([160, 165, 170], "pale: touches nothing");
    const staticBodies = countShown(flagged(kStatic)), sensors = countShown(flagged(kSensor));
    if (staticBodies) addLegend([70, 72, 76], "darker: static, " + count(staticBodies));
    if (sensors)
      addLegend(kSensorColour, counted(sensors, "sensor", "sensors") + (hasContacts ? ", and contacts of these" : ""));
    if (hasImpacts) addLegend(kImpactColour, "impact", "round");
    if (hasMotion) addLegend(kImpactColour, "way in the frame", "line");
    if (hasRays) addLegend(kRayColour, "ray and hit", "line"), addLegend(kMissColour, "ray without hit", "line");
    if (paths) addLegend(kPathColour, counted(paths.offset.length - 1, "path", "paths"), "line");
  };
  if (hasContacts) {
    byId("depth_scale").hidden = false;
    byId("ramp").style.background = "linear-gradient(to right," + kRamp.map(css).join(",") + ")";
    const [low, middle, high] = byId("ramp_text").children;
    low.textContent = "0";
    middle.textContent = lengthText(data.deep / 2, data.deep);
    high.textContent = "≥ " + lengthText(data.deep);
  }
  const notes = [];
  if (data.device) notes.push("Contacts found by " + data.device + ".");
  if (stride > 1) notes.push("Of terrain one of " + stride + " rows and columns is shown.");
  if (hasMotion && hasContacts) notes.push("Contacts are those of the frame's start.");
  byId("notes").textContent = notes.join(" ");
  byId("title").textContent = data.scene;
  document.title = data.scene + " – oclide view";

  const showTexts = () => {
    const parts = [counted(bodies.count, "body", "bodies")];
    if (environment >= 0) {
      parts[0] = counted(countShown(() => true), "body", "bodies") + " of " + count(bodies.count);
    }
    if (terrains.length) parts.push(counted(terrains.length, "terrain", "terrains"));
    if (frame.contacts && moment === 0) parts.push(counted(shownCounts.contacts, "contact", "contacts"));
    if (frame.impacts) parts.push(counted(shownCounts.impacts, "impact", "impacts"));
    if (frame.rays) parts.push(counted(shownCounts.rays, "ray", "rays"));
    byId("summary").textContent = parts.join(", ");
    byId("frame_text").textContent = data.frames[index].number + " of " + data.all_frames;
    byId("moment_text").textContent = moment.toFixed(3);
    byId("normal_text").textContent = lengthText(normalLength());
    byId("environment_text").textContent = "of " + count(environments);
  };

  let placed = "";  // what bodies stand there for
  const update = () => {
    const wantedPlaces = [index, moment, environment, chosen].join();
    if (placed !== wantedPlaces) {
      noteTouching();
      placeBodies();
      placed = wantedPlaces;
    }
    for (const group of groups.values()) group.mesh.visible = group.count > 0 && isOn("bodies");
    placeTerrain();
    placeMarks();
    showChosen();
    showTexts();
    draw();
  };
  let wanted = 0;
  const setFrame = async (k) => {
    wanted = Math.max(0, Math.min(frameCount - 1, k));
    const next = wanted, read = await frameAt(next);
    if (next !== wanted) return;
    // Memory does not grow with the frames that were shown.
    frames.forEach((f, i) => { if (Math.abs(i - next) > 2) frames[i] = null; });
    index = next;
    frame = read;
    byId("frame").value = String(index);
    update();
  };
  const setMoment = (t) => {
    moment = Math.max(0, Math.min(1, t));
    byId("moment").value = String(moment);
    update();
  };
  const setEnvironment = (e) => {
    environment = e >= 0 && e < environments ? Math.floor(e) : -1;
    byId("environment").value = environment < 0 ? "" : String(environment);
    if (chosen >= 0 && !isShown(chosen)) choose(-1);
    ball = wholeBox();
    showLegend();
    update();
  };

  // ---- camera ----
  const fit = () => {
    const aspect = Math.max(1e-3, canvas.clientWidth / Math.max(1, canvas.clientHeight));
    const direction = new THREE.Vector3(-0.5, -0.8, 0.48).normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(direction).normalize(), up = direction.clone().cross(right);
    const axes = [right, up, direction.clone().negate()].map((v) => v.toArray());
    const half = Math.tan((camera.fov * Math.PI) / 360), sides = [half * aspect, half];
    const inAxes = (p) => axes.map((axis) => axis.reduce((sum, v, a) => sum + v * p[a], 0));
    // The nearest place that sees all of it, in the middle: found by a few steps.
    const balls = [];
    for (let i = 0; i < bodies.count; ++i) {
      if (bodies.shape[i] === kHalfSpace || !isShown(i)) continue;
      const {at, turn} = poseOf(i, 0);
      if (bodies.shape[i] !== kMesh) balls.push([inAxes(at), reach[i]]);
      else for (const c of cornersOf(meshes, bodies.size[3 * i])) balls.push([inAxes(turned(turn, c).map((v, a) => v + at[a])), 0]);
    }
    for (const c of cornersOfTerrain()) balls.push([inAxes(c), 0]);
    if (balls.length === 0) balls.push([inAxes(ball.middle), ball.radius]);
    const middle = inAxes(ball.middle);
    let distance = typical;
    for (let pass = 0; pass < 8; ++pass) {
      distance = 2 * typical;
      for (const [p, r] of balls)
        for (const a of [0, 1]) distance = Math.max(distance, (Math.abs(p[a] - middle[a]) + 1.4 * r) / sides[a] - (p[2] - middle[2]));
      for (const a of [0, 1]) {
        let low = Infinity, high = -Infinity;
        for (const [p, r] of balls) {
          const along = Math.max(1e-9, distance + p[2] - middle[2]);
          low = Math.min(low, (p[a] - middle[a] - r) / along);
          high = Math.max(high, (p[a] - middle[a] + r) / along);
        }
        middle[a] += 0.5 * distance * (low + high);
      }
    }
    controls.target.set(...[0, 1, 2].map((a) => axes.reduce((sum, axis, k) => sum + middle[k] * axis[a], 0)));
    camera.position.copy(controls.target).addScaledVector(direction, 1.05 * distance);
    controls.update();
    draw();
  };
  const resize = () => {
    const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
    ratio.value = Math.min(2, window.devicePixelRatio || 1);
    renderer.setPixelRatio(ratio.value);
    renderer.setSize(width, height, false);
    bodyPixels.value = (0.6 * typical * height) / (2 * Math.tan((camera.fov * Math.PI) / 360));
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  };
  const setDepthRange = () => {
    const distance = camera.position.distanceTo(new THREE.Vector3(...ball.middle));
    const near = Math.max(1e-3 * typical, 0.02 * camera.position.distanceTo(controls.target));
    const far = distance + 30 * ball.radius + 200 * typical;
    if (near === camera.near && far === camera.far) return;
    camera.near = Math.min(near, far / 10);
    camera.far = far;
    camera.updateProjectionMatrix();
  };
  new ResizeObserver(resize).observe(byId("stage"));

  // ---- what is under the pointer ----
  const target = new THREE.WebGLRenderTarget(1, 1);
  const bodyAt = (x, y) => {
    const box = canvas.getBoundingClientRect(), pixel = new Uint8Array(4);
    camera.setViewOffset(box.width, box.height, x - box.left, y - box.top, 1, 1);
    const hidden = scene.children.filter((o) => o.isPoints || o.isLineSegments).filter((o) => o.visible);
    for (const o of hidden) o.visible = false;
    numbers.value = 1;
    renderer.setRenderTarget(target);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.readRenderTargetPixels(target, 0, 0, 1, 1, pixel);
    renderer.setRenderTarget(null);
    numbers.value = 0;
    for (const o of hidden) o.visible = true;
    camera.clearViewOffset();
    draw();
    const number = (pixel[0] << 16) | (pixel[1] << 8) | pixel[2];
    return number === 0 || number === kTerrainNumber ? -1 : number - 1;
  };
  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => { pressed = event.isPrimary ? [event.clientX, event.clientY] : null; });
  canvas.addEventListener("pointerup", (event) => {
    if (pressed && event.button === 0 && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 5)
      choose(bodyAt(event.clientX, event.clientY));
    pressed = null;
  });
  canvas.addEventListener("dblclick", lookAtChosen);

  // ---- play ----
  let playing = false, last = 0;
  const setPlaying = (on) => {
    playing = on;
    last = 0;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").textContent = on ? "stop" : "play";
    draw();
  };
  const kFrameSeconds = hasMotion ? 1.5 : 0.35;
  const advance = (now) => {
    if (last === 0) last = now;
    const passed = (now - last) / 1000;
    if (hasMotion && passed < 0.03) return;
    if (!hasMotion && passed < kFrameSeconds) return;
    last = now;
    if (hasMotion && moment + passed / kFrameSeconds < 1) return setMoment(moment + passed / kFrameSeconds);
    moment = 0;
    byId("moment").value = "0";
    setFrame(index + 1 < frameCount ? index + 1 : 0);
  };

  // ---- controls of the page ----
  byId("times").hidden = false;
  byId("frame_row").hidden = frameCount === 1;
  byId("moment_row").hidden = !hasMotion;
  byId("play").hidden = frameCount === 1 && !hasMotion;
  byId("normal_row").hidden = !hasContacts && !hasImpacts;
  byId("environment_row").hidden = environments === 1;
  byId("frame").max = String(frameCount - 1);
  byId("frame").value = "0";
  byId("environment").value = environment < 0 ? "" : String(environment);
  byId("environment").max = String(environments - 1);
  byId("body").max = String(Math.max(0, bodies.count - 1));
  const wholeNumber = (id) => (byId(id).value === "" ? -1 : Number(byId(id).value));
  byId("frame").addEventListener("input", () => { setPlaying(false); setFrame(Number(byId("frame").value)); });
  byId("moment").addEventListener("input", () => { setPlaying(false); setMoment(Number(byId("moment").value)); });
  byId("normal_length").addEventListener("input", update);
  byId("environment").addEventListener("change", () => { setEnvironment(wholeNumber("environment")); fit(); });
  byId("body").addEventListener("change", () => choose(Math.floor(wholeNumber("body"))));
  byId("look").addEventListener("click", lookAtChosen);
  byId("play").addEventListener("click", () => setPlaying(!playing));
  byId("fit").addEventListener("click", fit);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isInput = event.target.tagName === "INPUT" && event.target.type !== "checkbox";
    const isButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
    if (isInput && event.key !== "Escape") return;
    if (event.key === "ArrowLeft") setFrame(wanted - 1);
    else if (event.key === "ArrowRight") setFrame(wanted + 1);
    else if (event.key === " " && !isButton && event.target.type !== "checkbox") setPlaying(!playing);
    else if (event.key === "f") fit();
    else if (event.key === "g") lookAtChosen();
    else if (event.key === "Escape") choose(-1);
    else {
      const found = Object.values(switches).find((s) => s.key === event.key);
      if (!found) return;
      found.box.checked = !found.box.checked;
      update();
    }
    event.preventDefault();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  resize();
  fit();
  showLegend();
  update();
  byId("message").textContent = "";
  // For tests: where things are on the page, and what is shown.
  window.oclideView = {
    pixelAt: (point) => {
      const p = new THREE.Vector3(...point.map((v, a) => v - data.origin[a])).project(camera);
      const box = canvas.getBoundingClientRect();
      return [box.left + 0.5 * (p.x + 1) * box.width, box.top + 0.5 * (1 - p.y) * box.height];
    },
    positionOf: (body) => poseOf(body, moment).at.map((v, a) => v + data.origin[a]),
    lookFrom: (from, to) => {
      camera.position.set(...from.map((v, a) => v - data.origin[a]));
      controls.target.set(...to.map((v, a) => v - data.origin[a]));
      controls.update();
      camera.updateMatrixWorld();
      draw();
    },
    state: () => ({frame: index, moment, chosen, environment, playing, ...shownCounts,
      parts: [...groups.values()].reduce((sum, group) => sum + group.count, 0), calls: renderer.info.render.calls,
      triangles: renderer.info.render.triangles}),
  };
  const loop = (now) => {
    requestAnimationFrame(loop);
    if (playing) advance(now);
    if (!dirty) return;
    dirty = false;
    setDepthRange();
    renderer.setClearColor(0x000000, 0);
    renderer.render(scene, camera);
    root.dataset.state = "ready";
  };
  requestAnimationFrame(loop);
})().catch((error) => {
  document.getElementById("message").textContent = "the scene cannot be shown: " + error.message;
  document.documentElement.dataset.state = "failed";
  throw error;
});
