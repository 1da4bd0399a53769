"use strict";
// The page of a verdict: bars for all that was raced, intervals on check inputs, parts of the gain.

const METRICS = { cpu_time: "CPU time", wall_time: "wall time", peak_memory: "peak memory", mean_memory: "mean memory" };
const ROW_HEIGHT = 24;

function ratioText(ratio) { return ratio.toFixed(3); }

function intervalText(found) {
  return found.low === null || found.low === undefined ? ratioText(found.ratio) : `${ratioText(found.ratio)} [${ratioText(found.low)} ${ratioText(found.high)}]`;
}

function addRow(table, cells, tag) {
  const row = element("tr");
  cells.forEach((cell, at) => row.append(element(tag || "td", cell, tag ? { scope: "col" } : at ? {} : { class: "name" })));
  document.querySelector(`#${table} ${tag ? "thead" : "tbody"}`).append(row);
}

function drawTraining(found, metric) {
  const rows = found.rows.filter((row) => row.train).sort((a, b) => b.train[metric] - a.train[metric]);
  const mark = (row) => (row.name === found.choice ? " (choice)" : row.name === found.best_setting ? " (best setting)" : "");
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const traces = kinds.map((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    return { type: "bar", orientation: "h", name: plain(kind), y: own.map((row) => plain(row.name + mark(row))), x: own.map((row) => row.train[metric]),
      text: own.map((row) => ratioText(row.train[metric])), hovertemplate: "%{y}: %{x:.3f}<extra></extra>" };
  });
  const foretold = metric === "cpu_time" ? rows.filter((row) => row.predicted) : [];
  if (foretold.length) traces.push({ type: "scatter", mode: "markers", name: "predicted", marker: { symbol: "diamond-open", size: 9 },
    y: foretold.map((row) => plain(row.name + mark(row))), x: foretold.map((row) => row.predicted), hovertemplate: "predicted: %{x:.3f}<extra></extra>" });
  const one = { type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { dash: "dot" } };
  const place = document.getElementById("training-chart");
  place.style.height = `${120 + rows.length * ROW_HEIGHT}px`;
  const layout = { ...inks(), margin: { t: 20, l: 330, r: 20, b: 40 }, shapes: [one], xaxis: { rangemode: "tozero" },
    yaxis: { type: "category", categoryorder: "array", categoryarray: rows.map((row) => plain(row.name + mark(row))) }, legend: { orientation: "h" } };
  return drawing().react(place, traces, layout, settings(BUTTONS.zoomed));
}

function drawChecks(found) {
  if (!found.checks.length) { document.getElementById("checks").hidden = true; return; }
  addRow("check-table", ["setting", "input", ...Object.values(METRICS)], "th");
  for (const check of found.checks) addRow("check-table", [check.row, check.input, ...Object.keys(METRICS).map((metric) => intervalText(check[metric]))]);
  const names = [...new Set(found.checks.map((check) => check.row))];
  const traces = names.map((name) => {
    const own = found.checks.filter((check) => check.row === name).map((check) => ({ input: check.input, ...check.cpu_time }));
    return { type: "scatter", mode: "markers", name: plain(name), y: own.map((each) => plain(each.input)), x: own.map((each) => each.ratio),
      error_x: { type: "data", symmetric: false, array: own.map((each) => each.high - each.ratio), arrayminus: own.map((each) => each.ratio - each.low) } };
  });
  const one = { type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { dash: "dot" } };
  const layout = { ...inks(), margin: { t: 20, l: 230, r: 20, b: 60 }, shapes: [one], xaxis: { title: { text: "CPU time, ratio to the program as it is, 95 % interval" } }, yaxis: { type: "category" }, legend: { orientation: "h" } };
  drawing().react("check-chart", traces, layout, settings(BUTTONS.zoomed));
}

async function start() {
  const data = await unpacked(), found = data.found;
  document.getElementById("title").textContent = data.title;
  document.getElementById("command").textContent = found.program.join(" ");
  for (const line of data.lines) document.getElementById("lines").append(element("li", line));
  for (const command of data.commands) { const item = element("li"); item.append(element("code", command)); document.getElementById("commands").append(item); }
  for (const [kind, given] of [["trained on", found.train], ["judged on", found.check]]) for (const input of given) document.getElementById("inputs").append(element("li", `${kind}: ${input}`));
  if (!found.check.length) document.getElementById("inputs").append(element("li", `judged ${found.judged}`));
  for (const note of data.notes) document.getElementById("notes").append(element("li", note));
  for (const [name, value] of Object.entries(data.host)) { const box = element("div"); box.append(element("dt", name.replaceAll("_", " ")), element("dd", value)); document.getElementById("host").append(box); }
  const parts = Object.entries(found.parts);
  if (parts.length) { addRow("parts-table", ["part", "CPU time with it, against without it"], "th"); for (const [part, ratio] of parts) addRow("parts-table", [part, ratioText(ratio)]); }
  else document.getElementById("parts").hidden = true;
  const metric = document.getElementById("metric");
  const draw = () => { drawTraining(found, metric.value); };
  metric.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); });
  draw();
  drawChecks(found);
  document.getElementById("foot").textContent = `malloom ${data.version}; ${Math.round(found.seconds)} s of measured runs`;
  document.body.dataset.ready = "yes";
}

start();
