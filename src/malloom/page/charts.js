"use strict";
// What Plotly draws: the flame graph (its icicle) and the timeline. It reads marks in names, so these are taken away.

const SMALLEST = 0.0005;  // Part of the whole below which a call is not drawn by itself.
const MOST_DRAWN = 6000;

function plain(text) { return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }

function inks() {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), paper = style.getPropertyValue("--paper").trim();
  return { paper_bgcolor: paper, plot_bgcolor: paper, font: { color: ink }, margin: { t: 30, l: 70, r: 20, b: 60 } };
}

function drawFlame(data, sites, measure) {
  const root = treeOf(sites, true);
  const whole = root.sums[measure] || 0;
  const drawn = { ids: ["all"], labels: ["all"], parents: [""], values: [whole], text: [""] };
  const waiting = [[root, "all"]];
  while (waiting.length && drawn.ids.length < MOST_DRAWN) {
    const [node, id] = waiting.shift();
    for (const child of node.children.values()) {
      const value = child.sums[measure] || 0;
      if (value < whole * SMALLEST || value === 0) continue;
      const frame = frameOf(data, child.frame), own = `${id}/${child.frame}`;
      drawn.ids.push(own);
      drawn.labels.push(plain(frame.fn));
      drawn.parents.push(id);
      drawn.values.push(value);
      drawn.text.push(plain(`${frame.full}\n${frame.place}`).slice(0, 300) + `<br>${MEASURES[measure].text(value)}`);
      waiting.push([child, own]);
    }
  }
  const trace = { type: "icicle", ...drawn, branchvalues: "total", hovertemplate: "%{text}<br>%{percentRoot}<extra></extra>",
    textinfo: "label", tiling: { orientation: "v" }, root: { color: "rgba(128,128,128,.3)" }, pathbar: { visible: true } };
  return Plotly.react("flame-chart", [trace], { ...inks(), margin: { t: 30, l: 5, r: 5, b: 5 } }, { responsive: true, displaylogo: false });
}

function drawTimeline(data, sites) {
  const line = data.timeline;
  const traces = line.live.map((live, at) => ({
    x: line.moments, y: live, stackgroup: "all", mode: "lines", line: { width: 0.5, shape: "hv" },
    name: plain(at < line.contexts.length ? sites[line.contexts[at]].name : "all others"),
    hovertemplate: "%{y:.4s}B<extra>%{fullData.name}</extra>",
  }));
  const peak = { type: "line", x0: line.peak_moment, x1: line.peak_moment, yref: "paper", y0: 0, y1: 1, line: { dash: "dot" } };
  const layout = { ...inks(), shapes: [peak], hovermode: "x", xaxis: { title: { text: "allocation events" } },
    yaxis: { title: { text: "live bytes" }, tickformat: ".3s" }, legend: { orientation: "h", y: -0.15 } };
  return Plotly.react("timeline-chart", traces, layout, { responsive: true, displaylogo: false });
}
