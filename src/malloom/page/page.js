"use strict";
// The page: its tabs, and what each shows. A link to #flame, say, opens that tab.

const ROWS = 100;  // Rows that are shown before one asks for more.
const CALLERS = 3;  // Frames of a call site that are shown before one asks for more.
const TABS = { summary: "Summary", sites: "Call sites", objects: "Objects", flame: "Flame graph", timeline: "Timeline", processes: "Processes" };
// shown: tabs that are filled; trees: what was worked out of all sites, as there may be 100,000 of them.
const state = { sort: "bytes", open: new Set(), chosen: null, level: "all", shown: new Set(), trees: {} };

function showTab(name) {
  for (const each of Object.keys(TABS)) {
    document.getElementById(each).hidden = each !== name;
    document.getElementById(`tab-${each}`).setAttribute("aria-selected", each === name);
  }
  if (name in FILLED && !state.shown.has(name)) FILLED[name](state.data);
  state.shown.add(name);
  if (name === "flame") showFlame(state.level);
  if (name === "timeline") drawTimeline(state.data, state.sites);
}

function showFlame(level) {
  state.level = level;
  drawFlame(state.data, wholeTree("callers"), document.getElementById("measure").value, level, showFlame);
}

// At the head of the list, whatever was looked for before.
function showSite(index) {
  state.chosen = index;
  document.getElementById("search").value = "";
  document.getElementById("view").value = "list";
  state.shown.delete("sites");
  showTab("sites");
}

function makeTabs() {
  const tabs = document.getElementById("tabs");
  for (const [name, text] of Object.entries(TABS)) {
    const button = element("button", text, { id: `tab-${name}`, role: "tab", "aria-controls": name });
    button.addEventListener("click", () => showTab(name));
    tabs.append(button);
  }
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...tabs.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  });
}

function showSummary(data) {
  document.getElementById("title").textContent = data.title;
  document.getElementById("command").textContent = data.arguments.join(" ") || data.executable;
  for (const gap of data.gaps) document.getElementById("gaps").append(element("li", gap));
  for (const note of data.notes) document.getElementById("notes").append(element("li", note));
  const told = [["requests", "requests", countText], ["bytes", "bytes asked for", bytesText], ["live_peak", "peak", bytesText],
    ["contexts", "call sites", countText], ["threads", "threads", countText], ["to_end", "live to the end", shareText], ["accesses", "accesses", countText]];
  for (const [name, title, text] of told) {
    const box = element("div");
    box.append(element("dt", title), element("dd", known(data.totals[name], text), { id: `total-${name}` }));
    document.getElementById("totals").append(box);
  }
  const list = document.getElementById("advice");
  for (const advice of data.advice) {
    const item = element("li"), button = element("button", advice.text), command = element("p");
    button.addEventListener("click", () => showSite(advice.site));
    command.append(element("code", advice.command));
    item.append(button, element("p", advice.evidence), command);
    list.append(item);
  }
  if (!data.advice.length) list.replaceWith(element("p", "Nothing stands out: no call site has a tenth of the misses, of the peak or of the requests.", { id: "advice" }));
  const misses = data.geometry ? `; misses are those of a simulated ${data.geometry}${data.placing ? `, gains are shares of all waiting there, by ${data.placing}` : ""}` : "";
  document.getElementById("foot").textContent = `${data.profile}, recorded ${data.created}; malloom ${data.version}${misses}. Lifetimes are in allocation events.`;
}

function showHead() {
  const row = element("tr");
  row.append(element("th", "call site", { scope: "col" }));
  for (const name of state.columns) {
    const cell = element("th", undefined, { scope: "col", "aria-sort": state.sort === name ? "descending" : "none" });
    const button = element("button", MEASURES[name].name + (state.sort === name ? " ▾" : ""), { "data-sort": name });
    button.addEventListener("click", () => { state.sort = name; showSites(); focusOn(name); });
    cell.append(button);
    row.append(cell);
  }
  document.querySelector("#table thead").replaceChildren(row);
}

function nameCell(frame, depth, control) {
  const cell = element("td");
  cell.style.paddingLeft = `${0.6 + depth}rem`;
  if (control) cell.append(control, " ");
  cell.append(element("span", frame.fn, { title: frame.full }), " ", element("span", frame.place + (frame.inlined ? " (inlined)" : ""), { class: "place", title: frame.file }));
  return cell;
}

function chainCell(site, row) {
  const cell = element("td"), isOpen = state.open.has(site.index);
  const shown = isOpen ? site.frames : site.frames.slice(0, CALLERS);
  shown.forEach((number, at) => {
    const frame = frameOf(state.data, number);
    if (at) cell.append(" < ");
    cell.append(element("span", frame.fn, { title: frame.full }), " ", element("span", frame.place, { class: "place", title: frame.file }));
  });
  if (site.frames.length > CALLERS) {
    const button = element("button", isOpen ? "less" : `${site.frames.length - CALLERS} more`, { "aria-expanded": isOpen });
    button.addEventListener("click", () => {
      toggle(site.index);
      const again = siteRow(site);
      row.replaceWith(again);
      again.querySelector("button").focus();
    });
    cell.append(" ", button);
  }
  return cell;
}

function toggle(key) { if (!state.open.delete(key)) state.open.add(key); }

function siteRow(site) {
  const row = element("tr", undefined, { "data-site": site.index });
  if (site.index === state.chosen) row.classList.add("chosen");
  row.append(chainCell(site, row));
  for (const name of state.columns) row.append(element("td", known(site[name], MEASURES[name].text), { "data-measure": name }));
  return row;
}

function siteRows(chosen) {
  return pageOf(chosen, (site) => (site.index === state.chosen ? Infinity : site[state.sort]), (site) => [siteRow(site)], 0);
}

// The rows below a call, each followed by those below itself where it is open.
function nodeRows(node, path, depth) {
  const rowsOf = (child) => {
    const own = `${path}/${child.frame}`;
    return [nodeRow(child, own, depth), ...(state.open.has(own) ? nodeRows(child, own, depth + 1) : [])];
  };
  return pageOf([...childrenOf(node).values()], (child) => valueOf(child, state.sort), rowsOf, depth);
}

function nodeRow(node, path, depth) {
  const row = element("tr", undefined, { "data-depth": depth });
  row.append(nameCell(frameOf(state.data, node.frame), depth, hasChildren(node) ? openButton(node, path, depth, row) : null));
  for (const name of state.columns) row.append(element("td", known(valueOf(node, name), MEASURES[name].text)));
  return row;
}

function openButton(node, path, depth, row) {
  const button = element("button", "", { "aria-label": "calls" });
  const show = () => {
    const isOpen = state.open.has(path);
    button.textContent = isOpen ? "▾" : "▸";
    button.setAttribute("aria-expanded", isOpen);
    return isOpen;
  };
  button.addEventListener("click", () => {
    toggle(path);
    if (show()) row.after(...nodeRows(node, path, depth + 1));
    else while (Number(row.nextElementSibling?.dataset.depth ?? -1) > depth) row.nextElementSibling.remove();
  });
  show();
  return button;
}

// The rows of the items from a place on, the largest first, and a row for more of them.
function pageOf(items, number, rowsOf, depth, from = 0) {
  const rows = largest(items, number, from + ROWS).slice(from).flatMap(rowsOf), left = items.length - from - ROWS;
  if (left > 0) rows.push(moreRow(left, depth, () => pageOf(items, number, rowsOf, depth, from + ROWS)));
  return rows;
}

function moreRow(left, depth, further) {
  const row = element("tr", undefined, { "data-depth": depth }), cell = element("td", undefined, { colspan: state.columns.length + 1 });
  const button = element("button", `show more (${countText(left)} left)`);
  button.addEventListener("click", () => {
    const rows = further();
    row.replaceWith(...rows);
    // Whoever goes on with the keyboard goes on from the first new row.
    rows[0].tabIndex = -1;
    rows[0].focus({ preventScroll: true });
  });
  cell.style.paddingLeft = `${0.6 + depth}rem`;
  cell.append(button);
  row.append(cell);
  return row;
}

function showSites() {
  const wanted = document.getElementById("search").value.trim().toLowerCase();
  const view = document.getElementById("view").value;
  const chosen = matching(state.data, state.sites, wanted);
  document.getElementById("found").textContent = `${countText(chosen.length)} of ${countText(state.sites.length)} call sites`;
  showHead();
  const rows = view === "list" ? siteRows(chosen) : nodeRows(wanted ? treeOf(chosen, view === "callers") : wholeTree(view), view, 0);
  document.querySelector("#table tbody").replaceChildren(...rows);
}

function wholeTree(view) {
  state.trees[view] ??= treeOf(state.sites, view === "callers");
  return state.trees[view];
}

function showProcesses(data) {
  const head = element("tr");
  for (const name of ["command", "pid", "parent", "allocation events", "accesses recorded"]) head.append(element("th", name, { scope: "col" }));
  document.querySelector("#process-table thead").append(head);
  for (const each of data.processes) {
    const row = element("tr");
    if (each.is_shown) row.classList.add("chosen");
    row.append(element("td", each.arguments.join(" ") || each.executable));
    for (const number of [each.pid, each.parent]) row.append(element("td", String(number)));
    for (const number of [each.events, each.access_entries]) row.append(element("td", countText(number)));
    document.querySelector("#process-table tbody").append(row);
  }
  const left = data.processes_in_all - data.processes.length;
  if (left) document.getElementById("processes").append(element("p", `and ${countText(left)} more`));
}

function showMeasures() {
  const select = document.getElementById("measure");
  for (const name of state.columns) if (MEASURES[name].sum && !MEASURES[name].signed) select.append(element("option", MEASURES[name].name, { value: name }));
  select.value = "bytes";
  select.addEventListener("change", () => showFlame("all"));
}

// What a tab is filled with when it is opened first.
const FILLED = { sites: () => showSites(), objects: showObjects, processes: showProcesses };

async function start() {
  state.data = await unpacked();
  state.sites = sitesOf(state.data);
  state.columns = Object.keys(MEASURES).filter((name) => state.sites.some((site) => site[name] !== null && site[name] !== undefined));
  makeTabs();
  showSummary(state.data);
  showMeasures();
  document.getElementById("peak").textContent = `${bytesText(state.data.timeline.peak_bytes)} at the peak, after ${countText(state.data.timeline.peak_moment)} allocation events`;
  document.getElementById("search").addEventListener("input", () => showSites());
  document.getElementById("view").addEventListener("change", () => showSites());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTab(Object.keys(TABS).find((name) => !document.getElementById(name).hidden)));
  const wanted = location.hash.slice(1);
  showTab(wanted in TABS ? wanted : "summary");
  document.body.dataset.ready = "yes";
  const whenIdle = window.requestIdleCallback ?? setTimeout;  // Not every browser has the first.
  whenIdle(() => { drawing(); whenIdle(() => { warmUp(); whenIdle(() => flameParts(wholeTree("callers"), "bytes", "all")); }); });
}

start();
