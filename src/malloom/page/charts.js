"use strict";
// What Plotly draws: the flame graph (its icicle) and the timeline. It reads marks in names, so these are taken away.

const SMALLEST = 0.001;  // Part of the width below which a call is not drawn.
const STEPS = 8;  // Calls that have a button.
const MOST_DRAWN = 400;  // Calls: each is several elements of the page, and a click has to be answered at once.

// Plotly's own bar has a button that sends a chart to its makers.
const BUTTONS = { zoomed: [["toImage"], ["zoom2d", "pan2d", "resetScale2d"]], plain: [["toImage"]] };
const settings = (buttons) => ({ responsive: true, displaylogo: false, modeBarButtons: buttons, plotlyServerURL: "" });

function plain(text) { return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }

function inks() {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), paper = style.getPropertyValue("--paper").trim();
  return { paper_bgcolor: paper, plot_bgcolor: paper, font: { color: ink }, margin: { t: 30, l: 70, r: 20, b: 60 } };
}

// A first chart takes twice what a later one does, so one that nobody sees comes first.
function warmUp() {
  const place = document.body.appendChild(element("div", undefined, { class: "unseen" }));
  const line = { x: [1, 2], y: [1, 2], stackgroup: "all" };
  drawing().newPlot(place, [line, line]);
  drawing().purge(place);
  place.remove();
}

// What is drawn below a call, the largest first, and the calls that lead to it. A call is named by its path.
function flameParts(root, measure, level) {
  let node = root, id = "all";
  const found = [{ node, id, parent: "" }];
  for (const frame of level.split("/").slice(1).map(Number)) {
    node = childrenOf(node).get(frame);
    found.push({ node, id: `${id}/${frame}`, parent: id });
    id = `${id}/${frame}`;
  }
  const least = Math.max((valueOf(node, measure) || 0) * SMALLEST, Number.MIN_VALUE);
  const above = found.length, waiting = [{ node, id }];
  for (const { node: from, id: parent } of waiting) {
    for (const child of childrenOf(from).values()) {
      if (!((valueOf(child, measure) || 0) >= least)) continue;
      const part = { node: child, id: `${parent}/${child.frame}`, parent };
      found.push(part);
      waiting.push(part);
    }
  }
  // No call is larger than its caller, which stands before it, so whatever is drawn has its caller drawn.
  const drawn = [...found.slice(0, above), ...largest(found.slice(above), (part) => valueOf(part.node, measure), MOST_DRAWN)];
  return { drawn, left: found.length - drawn.length, above };
}

function drawFlame(data, root, measure, level, onLevel) {
  const drawn = { ids: [], labels: [], parents: [], values: [], text: [] };
  const parts = flameParts(root, measure, level);
  for (const { node, id, parent } of parts.drawn) {
    const frame = node.frame === null ? { fn: "all", full: "all", place: "" } : frameOf(data, node.frame);
    drawn.ids.push(id);
    drawn.labels.push(plain(frame.fn));
    drawn.parents.push(parent);
    const value = valueOf(node, measure) || 0;
    drawn.values.push(value);
    drawn.text.push(plain(`${frame.full}\n${frame.place}`).slice(0, 300) + `<br>${MEASURES[measure].text(value)}`);
  }
  const trace = { type: "icicle", ...drawn, level, branchvalues: "total", hovertemplate: "%{text}<br>%{percentRoot}<extra></extra>",
    textinfo: "label", tiling: { orientation: "v" }, root: { color: "rgba(128,128,128,.3)" }, pathbar: { visible: true } };
  showSteps(data, parts, onLevel, (part) => MEASURES[measure].text(valueOf(part.node, measure) || 0));
  const smaller = parts.left ? `, and ${countText(parts.left)} of those that are larger` : "";
  document.getElementById("flame-told").textContent = `Calls below ${100 * SMALLEST} % of the width${smaller} are not drawn until one goes into their caller.`;
  const chart = document.getElementById("flame-chart");
  drawing().react(chart, [trace], { ...inks(), margin: { t: 30, l: 5, r: 5, b: 5 } }, settings(BUTTONS.plain));
  // Plotly would only make what is drawn already larger: smaller calls become large enough too.
  chart.removeAllListeners("plotly_icicleclick");
  chart.on("plotly_icicleclick", (event) => { onLevel(event.nextLevel ?? "all"); return false; });
}

// What clicks into the chart do, as buttons: the callers that lead to what is shown, and the largest calls within it.
function showSteps(data, parts, onLevel, textOf) {
  const place = document.getElementById("flame-steps"), had = place.contains(document.activeElement), last = parts.drawn[parts.above - 1];
  const within = parts.drawn.slice(parts.above).filter((part) => part.parent === last.id).slice(0, STEPS);
  const nameOf = (part) => (part.node.frame === null ? "all" : frameOf(data, part.node.frame).fn);
  const stepTo = (part, text) => {
    const button = element("button", text);
    button.addEventListener("click", () => onLevel(part.id));
    return button;
  };
  const callers = parts.drawn.slice(0, parts.above).map((part) => stepTo(part, nameOf(part)));
  callers.at(-1).setAttribute("aria-current", "true");
  place.replaceChildren(...callers, ...(within.length ? [element("span", "calls")] : []), ...within.map((part) => stepTo(part, `${nameOf(part)} ${textOf(part)}`)));
  if (had) callers.at(-1).focus({ preventScroll: true });
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
  return drawing().react("timeline-chart", traces, layout, settings(BUTTONS.zoomed));
}
