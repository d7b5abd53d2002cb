"use strict";
// Draws the tables and plots of the page from the rows in it. Texts of rows only ever become text nodes.
(() => {
  const kStages = ["upload", "broad_phase", "narrow_phase", "contact_reduction", "download", "host"];
  const kKernelStages = ["broad_phase", "narrow_phase", "contact_reduction"];
  const kWhole = "whole frame";
  const kBelowBars = 0.8;
  const kPoints = ["circle", "rect", "triangle", "rectRot", "crossRot", "star", "rectRounded"];
  // Colours that stay apart for all kinds of colour vision (after Okabe and Ito), lighter on a dark page.
  const kColours = {
    light: {
      series: ["#0072b2", "#d55e00", "#009e73", "#b3589a", "#a66f00", "#3f93c7", "#555555", "#7a1f3d"],
      stages: {
        upload: "#56b4e9", broad_phase: "#0072b2", narrow_phase: "#d55e00", contact_reduction: "#009e73",
        download: "#cc79a7", host: "#9a9a9a", [kWhole]: "#c9c9c9",
      },
    },
    dark: {
      series: ["#56b4e9", "#f08a3c", "#2fc59b", "#e19fc4", "#f0e442", "#9db4ff", "#c8c8c8", "#ff8fa3"],
      stages: {
        upload: "#9ad4f5", broad_phase: "#3f9bd6", narrow_phase: "#f08a3c", contact_reduction: "#2fc59b",
        download: "#e19fc4", host: "#8a8a8a", [kWhole]: "#5f5f5f",
      },
    },
  };

  const rows = JSON.parse(document.getElementById("rows").textContent).rows;
  const timed = rows.filter((row) => row.wall_ms);
  let printing = false;
  const charts = [];  // functions that draw, each anew when the colours change
  const isDark = () => !printing && window.matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = () => (isDark() ? kColours.dark : kColours.light);
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ---- numbers as text ----
  const kUnknown = "–";
  const known = (value) => value !== null && value !== undefined;
  const count = (value) => (known(value) ? Math.round(value).toLocaleString("en") : kUnknown);
  const digits = (value) => {
    if (!known(value)) return kUnknown;
    if (value === 0) return "0";
    if (value >= 1000) return count(value);
    return Number(value.toPrecision(3)).toString();
  };
  const percent = (share) => (known(share) ? digits(100 * share) + " %" : kUnknown);
  const bytes = (value) => (known(value) ? digits(value / 1048576) + " MiB" : kUnknown);
  const cores = (n) => n + (n === 1 ? " core" : " cores");

  // ---- elements ----
  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    if (text !== "") made.textContent = text;
    if (className !== "") made.className = className;
    return made;
  };
  // head: [{text, left, long}], lines: lists of texts or elements. Columns without any value are left out. Where there is
  // no room for the columns beside each other, each row is a block of its own.
  const tableOf = (allHead, allLines) => {
    const filled = allHead.map((h, k) => allLines.some((line) => line[k] !== kUnknown && line[k] !== ""));
    const [head, ...lines] = [allHead, ...allLines].map((line) => line.filter((_, k) => filled[k]));
    const table = element("table");
    const headRow = table.createTHead().insertRow();
    for (const h of head) headRow.append(element("th", h.text, h.left || h.long ? "text" : ""));
    const body = table.createTBody();
    for (const line of lines) {
      const tr = body.insertRow();
      line.forEach((value, k) => {
        const cell = tr.insertCell();
        if (value instanceof Node) cell.append(value);
        else cell.textContent = value;
        cell.className = (head[k].left || head[k].long ? "text" : "") + (head[k].long ? " long" : "");
        cell.dataset.column = head[k].text.replaceAll("\u00ad", "");
      });
    }
    const scroll = element("div", "", "scroll");
    scroll.append(table);
    new ResizeObserver(() => {
      table.classList.remove("blocks");
      table.classList.toggle("blocks", table.scrollWidth > scroll.clientWidth + 1);
    }).observe(scroll);
    return scroll;
  };
  const numbersBehind = (head, lines) => {
    const details = element("details");
    details.append(element("summary", "The numbers behind it"), tableOf(head, lines));
    return details;
  };
  const plotIn = (section, title) => {
    const plot = element("div", "", "plot");
    plot.append(element("h3", title));
    section.append(plot);
    return plot;
  };
  const gridIn = (id, columns) => {
    const grid = element("div", "", "plots" + (columns === 1 ? " one" : ""));
    document.getElementById(id).append(grid);
    return grid;
  };

  // A canvas of this height with the chart that `configure` gives; `configure` is asked again when the colours change.
  const chartIn = (plot, height, label, configure) => {
    const holder = element("div", "", "canvas");
    holder.style.height = height + "px";
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
    holder.append(canvas);
    plot.append(holder);
    let chart = null;
    const draw = () => {
      if (chart) chart.destroy();
      Chart.defaults.color = variable("--text");
      Chart.defaults.borderColor = variable("--line");
      chart = new Chart(canvas, configure());
    };
    charts.push(draw);
    draw();
  };

  // ---- series: rows that differ only in the scene ----
  const seriesKey = (row) =>
    JSON.stringify([row.engine, row.engine_version, row.device, row.device_id, row.threads, row.host_cpu, row.moved,
      row.engine === "oclide" ? "" : row.settings, row.engine === "oclide" ? row.commit : ""]);
  const isReference = (row) => row.device_id === "reference";
  const isPeer = (row) => row.engine !== "oclide";
  const rank = (row) => (isPeer(row) ? 3 : isReference(row) ? 2 : row.gpu ? 0 : 1);
  const baseLabel = (row) => {
    if (isPeer(row)) return row.engine + ", " + cores(row.threads);
    if (isReference(row)) return "reference, " + cores(row.threads);
    return row.gpu ? row.device : "OpenCL CPU, " + cores(row.threads);
  };
  const series = [];
  for (const row of timed) {
    const key = seriesKey(row);
    let found = series.find((s) => s.key === key);
    if (!found) {
      found = {key, row, rows: []};
      series.push(found);
    }
    found.rows.push(row);
  }
  series.sort((a, b) => rank(a.row) - rank(b.row) || (a.row.engine < b.row.engine ? -1 : a.row.engine > b.row.engine)
    || (a.row.device_id < b.row.device_id ? -1 : a.row.device_id > b.row.device_id) || b.row.threads - a.row.threads);
  // Labels tell what differs, and no more than that.
  const differences = [
    (row) => (row.moved !== undefined && row.moved !== 1 ? percent(row.moved) + " moved" : ""),
    (row) => (isPeer(row) ? "" : row.device_id), (row) => row.host_cpu, (row) => row.engine_version,
    (row) => row.commit, (row) => row.settings,
  ];
  for (const s of series) s.label = baseLabel(s.row);
  for (const difference of differences) {
    const twins = series.filter((s) => series.some((t) => t !== s && t.label === s.label));
    const texts = new Map(twins.map((s) => [s, difference(s.row) || ""]));
    for (const s of twins)
      if (texts.get(s) && twins.some((t) => t.label === s.label && texts.get(t) !== texts.get(s))) s.next = texts.get(s);
    for (const s of twins) {
      if (s.next) s.label += ", " + s.next;
      delete s.next;
    }
  }
  // An engine keeps its colour, whatever it was asked to do; points tell the rows of one colour apart.
  const colourKeys = [];
  series.forEach((s, k) => {
    const key = JSON.stringify([s.row.engine, s.row.device_id, s.row.device, s.row.threads]);
    if (!colourKeys.includes(key)) colourKeys.push(key);
    const colour = colourKeys.indexOf(key);
    s.colour = () => colours().series[colour % colours().series.length];
    s.dash = isPeer(s.row) ? [8, 3, 2, 3] : isReference(s.row) ? [2, 3] : s.row.threads === 1 && !s.row.gpu ? [7, 4] : [];
    s.point = kPoints[(k + Math.floor(k / kPoints.length)) % kPoints.length];
  });
  const seriesOf = (row) => series.find((s) => s.key === seriesKey(row));
  const scenarios = [...new Set(timed.map((row) => row.scenario))];
  const of = (s, scenario) =>
    s.rows.filter((row) => row.scenario === scenario).sort((a, b) => a.bodies - b.bodies);

  // ---- pieces of charts ----
  const powerTicks = (value) => {
    const exponent = Math.log10(value);
    return Math.abs(exponent - Math.round(exponent)) < 1e-9 ? digits(value) : "";
  };
  const logAxis = (title, callback = powerTicks) => ({
    type: "logarithmic", title: {display: true, text: title}, ticks: {callback, autoSkip: false, maxRotation: 0},
    grid: {color: (context) => (context.tick && context.tick.label ? variable("--line") : "transparent")},
  });
  // Whole decades around the values; of bars, below the least value, so that this is one to be seen.
  const decades = (axis, values, below = 1) => {
    const positive = values.filter((v) => v > 0);
    if (positive.length === 0) return axis;
    axis.min = 10 ** Math.floor(Math.log10(below * Math.min(...positive)) + 1e-9);
    axis.max = 10 ** Math.ceil(Math.log10(Math.max(...positive)) - 1e-9);
    if (axis.min === axis.max) axis.max *= 10;
    return axis;
  };
  const lineSet = (s, points) => ({
    label: s.label, data: points, showLine: true, borderColor: s.colour(), backgroundColor: s.colour(),
    borderDash: s.dash, borderWidth: 2, clip: 12, pointStyle: s.point, pointRadius: 5, pointHoverRadius: 7, pointBorderWidth: 2,
  });
  const legend = (extra = {}) => ({
    position: "bottom", labels: {usePointStyle: true, boxWidth: 8, boxHeight: 7, padding: 12, ...extra},
  });

  // ---- header and the list of series ----
  const drawLegend = () => {
    const hosts = [...new Set(rows.map((row) => row.host_cpu).filter(Boolean))];
    const commits = [...new Set(rows.filter((row) => !isPeer(row)).map((row) => row.commit).filter(Boolean))];
    document.getElementById("summary").textContent =
      count(rows.length) + " rows" + (hosts.length ? "; host: " + hosts.join("; ") : "") +
      (commits.length ? "; oclide at commit " + commits.join(", ") : "") + ".";
    const section = document.getElementById("legend");
    const failed = rows.filter((row) => !row.wall_ms);
    if (failed.length) section.append(element("p", failed.length + (failed.length === 1 ? " row was" : " rows were") +
      " not timed; the last column of the table at the end says why.", "warning"));
    const kind = (row) => {
      if (isPeer(row)) return "another engine on the CPU";
      if (isReference(row)) return "oclide's double-precision reference on the CPU";
      return row.gpu ? "oclide's kernels on a GPU" : "oclide's kernels on the CPU through OpenCL";
    };
    const swatches = [];
    section.append(tableOf(
      [{text: ""}, {text: "Row", long: true}, {text: "What it is", long: true}, {text: "Engine", left: true},
        {text: "Device", long: true}, {text: "Driver", left: true}, {text: "Cores"}, {text: "Copy, GB/s"},
        {text: "Settings", long: true}],
      series.map((s) => {
        const swatch = element("span", "", "swatch");
        swatches.push([swatch, s]);
        return [swatch, s.label, kind(s.row), s.row.engine + " " + (s.row.engine_version || ""), s.row.device,
          s.row.driver || "", String(s.row.threads), digits(s.row.copy_gb_per_s), s.row.settings || ""];
      })));
    charts.push(() => swatches.forEach(([swatch, s]) => {
      swatch.style.borderColor = s.colour();
      swatch.style.borderTopStyle = s.dash.length === 0 ? "solid" : s.dash[0] < 4 ? "dotted" : "dashed";
    }));
    charts[charts.length - 1]();
  };

  // ---- scaling ----
  // A label in lines that fit beside a narrow plot, broken behind commas.
  const inLines = (label) => label.split(", ").reduce((lines, part) => {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + part.length < 24) lines[lines.length - 1] = last + ", " + part;
    else lines.push(part);
    return lines;
  }, []);
  // Where there is one number of bodies, a line would be a point: bars.
  const drawBars = (plot, scenario, shown, bodies) => {
    const times = shown.map((s) => of(s, scenario)[0].wall_ms.median);
    const far = Math.max(...times) > 12 * Math.min(...times);
    const title = "milliseconds a frame of " + count(bodies) + " bodies";
    const labels = shown.map((s, k) => [...inLines(s.label), digits(times[k]) + " ms"]);
    const most = Math.max(...labels.map((lines) => lines.length));
    chartIn(plot, 100 + (10 + 14 * most) * shown.length, "Milliseconds of a frame, " + scenario, () => ({
      type: "bar",
      data: {labels,
        datasets: [{data: times, backgroundColor: shown.map((s) => s.colour()), barPercentage: 0.8}]},
      options: {
        indexAxis: "y",
        scales: {
          x: far ? decades(logAxis(title), times, kBelowBars) : {beginAtZero: true, title: {display: true, text: title}},
          y: {grid: {display: false}, ticks: {autoSkip: false}},
        },
        plugins: {legend: {display: false}},
      },
    }));
  };
  const drawScaling = () => {
    const grid = gridIn("scaling", 2);
    for (const scenario of scenarios) {
      const shown = series.filter((s) => of(s, scenario).length > 0);
      const plot = plotIn(grid, scenario);
      const all = shown.flatMap((s) => of(s, scenario));
      const counts = [...new Set(all.map((r) => r.bodies))].sort((a, b) => a - b);
      if (counts.length === 1) drawBars(plot, scenario, shown, counts[0]);
      else chartIn(plot, 340, "Milliseconds of a frame over the number of bodies, " + scenario, () => ({
        type: "scatter",
        data: {datasets: shown.map((s) => lineSet(s, of(s, scenario).map((r) => ({x: r.bodies, y: r.wall_ms.median}))))},
        options: {
          scales: {
            x: decades(logAxis("bodies"), all.map((r) => r.bodies)),
            y: decades(logAxis("milliseconds a frame"), all.map((r) => r.wall_ms.median)),
          },
          plugins: {
            legend: legend(),
            tooltip: {callbacks: {label: (item) => item.dataset.label + ": " + digits(item.parsed.y) + " ms for " +
              count(item.parsed.x) + " bodies"}},
          },
        },
      }));
      plot.append(numbersBehind(
        [{text: "Bodies"}, ...shown.map((s) => ({text: s.label + ": median (min), ms"}))],
        counts.map((bodies) => [count(bodies), ...shown.map((s) => {
          const row = of(s, scenario).find((r) => r.bodies === bodies);
          return row ? digits(row.wall_ms.median) + " (" + digits(row.wall_ms.min) + ")" : "";
        })])));
    }
  };

  // The largest number of bodies that the most series have.
  const commonCount = (scenario, shown) => {
    const votes = new Map();
    for (const s of shown)
      for (const bodies of new Set(of(s, scenario).map((row) => row.bodies)))
        votes.set(bodies, (votes.get(bodies) || 0) + 1);
    return [...votes].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0][0];
  };
  // Of each series that has it, the row at the common count.
  const atCommonCount = (scenario) => {
    const shown = series.filter((s) => of(s, scenario).length > 0);
    const bodies = commonCount(scenario, shown);
    return {bodies, shown: shown.map((s) => [s, of(s, scenario).find((r) => r.bodies === bodies)]).filter((p) => p[1])};
  };

  // ---- stages ----
  const drawStages = () => {
    const grid = gridIn("stages", 1);
    for (const scenario of scenarios) {
      const {bodies, shown: all} = atCommonCount(scenario);
      if (all.every(([, row]) => row.stages.length === 0)) continue;
      // Devices a hundred times apart in time would leave nothing to see of the faster one: then shares, which mean
      // nothing for rows without stages.
      const totals = all.map(([, row]) => row.wall_ms.median);
      const shares = Math.max(...totals) > 12 * Math.min(...totals);
      const shown = shares ? all.filter(([, row]) => row.stages.length > 0) : all;
      const used = [...kStages, kWhole].filter((name) => shown.some(([, row]) => name === kWhole ?
        row.stages.length === 0 : row.stages.some((stage) => stage.name === name)));
      const ms = (row, name) => {
        if (name === kWhole) return row.stages.length === 0 ? row.wall_ms.median : 0;
        const stage = row.stages.find((st) => st.name === name);
        return stage ? stage.median_ms : 0;
      };
      const sum = (row) => used.reduce((all, name) => all + ms(row, name), 0) || 1;
      const plot = plotIn(grid, scenario + ", " + count(bodies) + " bodies");
      chartIn(plot, 130 + 42 * shown.length, "Time of each stage, " + scenario, () => ({
        type: "bar",
        data: {
          labels: shown.map(([s, row]) => [s.label, digits(row.wall_ms.median) + " ms"]),
          datasets: used.map((name) => ({
            label: name.replace("_", " "), backgroundColor: colours().stages[name], borderColor: variable("--background"),
            borderWidth: 1, barPercentage: 0.8,
            data: shown.map(([, row]) => (shares ? 100 * ms(row, name) / sum(row) : ms(row, name))),
          })),
        },
        options: {
          indexAxis: "y",
          scales: {
            x: {stacked: true, title: {display: true, text: shares ? "% of the frame" : "milliseconds"},
              max: shares ? 100 : undefined},
            y: {stacked: true, grid: {display: false}, ticks: {autoSkip: false}},
          },
          plugins: {
            legend: legend({usePointStyle: false, boxWidth: 14, boxHeight: 12}),
            tooltip: {callbacks: {label: (item) => item.dataset.label + ": " +
              digits(ms(shown[item.dataIndex][1], used[item.datasetIndex])) + " ms, " + digits(100 *
              ms(shown[item.dataIndex][1], used[item.datasetIndex]) / sum(shown[item.dataIndex][1])) + " %"}},
          },
        },
      }));
      const lines = [];
      for (const s of series)
        for (const row of of(s, scenario))
          lines.push([s.label, count(row.bodies), digits(row.wall_ms.median), digits(row.device_ms && row.device_ms.median),
            ...kStages.map((name) => {
              const stage = row.stages.find((st) => st.name === name);
              return stage ? digits(stage.median_ms) + " (" + digits(stage.min_ms) + ")" : kUnknown;
            })]);
      plot.append(numbersBehind(
        [{text: "Row", left: true}, {text: "Bodies"}, {text: "Wall, ms"}, {text: "Device, ms"},
          ...kStages.map((name) => ({text: name.replace("_", " ") + ": median (min), ms"}))], lines));
    }
  };

  // ---- break-even ----
  const drawBreakEven = () => {
    const own = series.filter((s) => !isPeer(s.row));
    const gpus = own.filter((s) => s.row.gpu);
    const cpus = own.filter((s) => !s.row.gpu);
    const text = document.getElementById("break_even_text");
    const baseline = gpus.length ? null : cpus[0];
    const others = gpus.length ? gpus : cpus.slice(1);
    if (cpus.length === 0 || others.length === 0) return;
    text.textContent = gpus.length ?
      "Time on the CPU (oclide's fastest CPU row at that number of bodies) over time on the GPU: above 1 the GPU is " +
      "faster. The point where a line crosses 1 is read off between two measured numbers of bodies." :
      "No row is of a GPU, so that CPU rows are compared: time of \"" + baseline.label + "\" over that of each other row. " +
      "Above 1 the other row is faster. The point where a line crosses 1 is read off between two measured numbers of bodies.";
    const grid = gridIn("break_even", 2);
    const found = [];
    for (const scenario of scenarios) {
      const base = (bodies) => {
        const times = (baseline ? [baseline] : cpus).flatMap((s) => of(s, scenario).filter((r) => r.bodies === bodies))
          .map((r) => r.wall_ms.median);
        return times.length ? Math.min(...times) : null;
      };
      const sets = [];
      for (const s of others) {
        const points = of(s, scenario).map((row) => ({bodies: row.bodies, base: base(row.bodies), own: row.wall_ms.median}))
          .filter((p) => p.base !== null).map((p) => ({...p, x: p.bodies, y: p.base / p.own}));
        if (points.length === 0) continue;
        sets.push([s, points]);
        const crossings = [];
        for (let k = 1; k < points.length; ++k) {
          const [a, b] = [points[k - 1], points[k]];
          if ((a.y < 1) === (b.y < 1)) continue;
          const part = Math.log(a.y) / (Math.log(a.y) - Math.log(b.y));
          const at = Math.exp(Math.log(a.x) + part * Math.log(b.x / a.x));
          crossings.push((b.y >= 1 ? "faster from about " : "slower from about ") + count(Number(at.toPrecision(2))) +
            " bodies");
        }
        found.push([scenario, s.label, crossings.length ? crossings.join(", ") :
          points[0].y >= 1 ? "faster at all measured numbers" : "slower at all measured numbers"]);
      }
      const xs = sets.flatMap(([, points]) => points.map((p) => p.x));
      if (new Set(xs).size < 2) continue;
      const plot = plotIn(grid, scenario);
      const ys = sets.flatMap(([, points]) => points.map((p) => p.y));
      chartIn(plot, 320, "Ratio of times over the number of bodies, " + scenario, () => {
        const x = decades(logAxis("bodies"), xs);
        return {
          type: "scatter",
          data: {
            datasets: [...sets.map(([s, points]) => lineSet(s, points)), {
              label: "equally fast", data: [{x: x.min, y: 1}, {x: x.max, y: 1}], showLine: true, pointRadius: 0,
              borderColor: variable("--faint"), borderWidth: 1, pointStyle: "line",
            }],
          },
          options: {
            scales: {x, y: decades(logAxis("times as fast as the baseline"), [...ys, 1])},
            plugins: {
              legend: legend(),
              tooltip: {callbacks: {label: (item) => item.dataset.label + ": " + digits(item.parsed.y) + " times at " +
                count(item.parsed.x) + " bodies"}},
            },
          },
        };
      });
      plot.append(numbersBehind(
        [{text: "Row", left: true}, {text: "Bodies"}, {text: "Baseline, ms"}, {text: "Row, ms"}, {text: "Ratio"}],
        sets.flatMap(([s, points]) => points.map((p) =>
          [s.label, count(p.x), digits(p.base), digits(p.own), digits(p.y)]))));
    }
    if (found.length > 0) document.getElementById("break_even").append(tableOf(
      [{text: "Scenario", left: true}, {text: "Row", left: true}, {text: "Against the baseline", left: true}], found));
  };

  // ---- roofline ----
  const drawRoofline = () => {
    const grid = gridIn("roofline", 2);
    const stageOf = (row, name) => row.stages.find((stage) => stage.name === name);
    const share = (row, name) => {
      const stage = stageOf(row, name);
      return stage && known(stage.bandwidth_share) ? 100 * stage.bandwidth_share : null;
    };
    for (const scenario of scenarios) {
      const at = atCommonCount(scenario);
      const shown = at.shown.filter(([, row]) => kKernelStages.some((name) => share(row, name) !== null));
      if (shown.length === 0) continue;
      const plot = plotIn(grid, scenario + ", " + count(at.bodies) + " bodies");
      const values = shown.flatMap(([, row]) => kKernelStages.map((name) => share(row, name))).filter((v) => v > 0);
      chartIn(plot, 320, "Share of the copy bandwidth by stage, " + scenario, () => ({
        type: "bar",
        data: {
          labels: kKernelStages.map((name) => name.split("_")),
          datasets: shown.map(([s, row]) => ({
            label: s.label, backgroundColor: s.colour(), borderColor: variable("--background"), borderWidth: 1,
            data: kKernelStages.map((name) => share(row, name)),
          })),
        },
        options: {
          scales: {
            x: {grid: {display: false}, ticks: {autoSkip: false}},
            y: decades(logAxis("% of the copy bandwidth"), [...values, 100], kBelowBars),
          },
          plugins: {
            legend: legend({usePointStyle: false, boxWidth: 14, boxHeight: 12}),
            tooltip: {callbacks: {label: (item) => item.dataset.label + ": " + digits(item.parsed.y) + " %"}},
          },
        },
      }));
      const lines = [];
      for (const s of series)
        for (const row of of(s, scenario))
          for (const stage of row.stages) {
            if (!known(stage.bytes) || stage.median_ms === 0) continue;
            const hasWork = known(stage.operations) && stage.operations > 0;
            lines.push([s.label, count(row.bodies), stage.name.replace("_", " "), digits(stage.median_ms),
              digits(stage.bytes / 1e6), digits(stage.bytes / 1e6 / stage.median_ms), digits(row.copy_gb_per_s),
              percent(stage.bandwidth_share), hasWork ? digits(stage.operations / 1e6) : kUnknown,
              hasWork ? digits(stage.operations / stage.bytes) : kUnknown,
              hasWork ? digits(stage.operations / 1e6 / stage.median_ms) : kUnknown]);
          }
      plot.append(numbersBehind(
        [{text: "Row", left: true}, {text: "Bodies"}, {text: "Stage", left: true}, {text: "ms"}, {text: "MB"},
          {text: "GB/s"}, {text: "Copy, GB/s"}, {text: "Share"}, {text: "Million operations"}, {text: "Operations a byte"},
          {text: "Gop/s"}], lines));
    }
  };

  // ---- all rows ----
  const drawTable = () => {
    const lines = rows.map((row) => {
      const s = row.wall_ms ? seriesOf(row) : null;
      const checked = row.error ? "no" : !row.checked ? "no" :
        row.checked_bodies && row.checked_bodies < row.bodies ? "at " + count(row.checked_bodies) + " bodies" : "yes";
      const remark = row.error ? "not timed: " + row.error : row.note || "";
      return [row.scenario, s ? s.label : row.engine === "oclide" ? row.device_id + ", " + cores(row.threads) : row.engine,
        count(row.bodies), count(row.environments), count(row.terrain_vertices), count(row.hulls),
        count(row.mesh_triangles), count(row.candidates), count(row.pairs),
        count(row.contacts), digits(row.wall_ms && row.wall_ms.median), digits(row.wall_ms && row.wall_ms.min),
        digits(row.device_ms && row.device_ms.median), count(row.bodies_per_s), count(row.pairs_per_s),
        count(row.contacts_per_s), count(row.terrain_cells_per_s), bytes(row.peak_device_bytes), bytes(row.peak_host_bytes),
        checked, count(row.missed), count(row.spurious), String(row.repetitions), remark];
    });
    document.getElementById("table").append(tableOf(
      [{text: "Scenario", left: true}, {text: "Row", left: true}, {text: "Bodies"}, {text: "Environ\u00adments"},
        {text: "Terrain vertices"}, {text: "Hulls"}, {text: "Mesh triangles"}, {text: "Candi\u00addates"},
        {text: "Pairs"}, {text: "Contacts"}, {text: "Wall, ms"}, {text: "Wall min, ms"}, {text: "Device, ms"}, {text: "Bodies/s"}, {text: "Pairs/s"}, {text: "Contacts/s"},
        {text: "Terrain cells/s"}, {text: "Device memory"}, {text: "Host memory"}, {text: "Checked"}, {text: "Missed"},
        {text: "Spurious"}, {text: "Repeti\u00adtions"}, {text: "Remark", long: true}], lines));
  };

  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.font.size = 13;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  drawLegend();
  drawScaling();
  drawStages();
  drawBreakEven();
  drawRoofline();
  drawTable();
  for (const section of document.querySelectorAll("section"))
    if (!section.querySelector(".plot, td")) section.remove();
  const redraw = () => charts.forEach((draw) => draw());
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => { printing = true; redraw(); });
  window.addEventListener("afterprint", () => { printing = false; redraw(); });
})();
