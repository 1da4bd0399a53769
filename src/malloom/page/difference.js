"use strict";
// The page of a difference: both sides' totals, then the call sites, those of the largest difference first.

const ROWS = 200;  // Rows that are shown before one asks for more.
const CHANGED = "all that changed", ALL = "all call sites";
const state = { sort: null, rows: ROWS };

function bothText(text, was, now) {
  if (was === undefined && now === undefined) return "-";
  if (was === undefined || now === undefined) return text(was === undefined ? now : was);
  if (was === now) return text(now);
  return `${text(was)} → ${text(now)}${was ? ` (${(now / was).toFixed(2)})` : ""}`;
}

function numberOf(side, name) { return side && side[name] !== null ? side[name] : undefined; }

function change(site, name) { return (numberOf(site.new, name) || 0) - (numberOf(site.old, name) || 0); }

function textOf(measure) { return measure.in_bytes ? bytesText : countText; }

function showHead(data) {
  const row = element("tr");
  row.append(element("th", "call site", { scope: "col" }), element("th", "what changed", { scope: "col" }));
  for (const { name, title } of state.measures) {
    const cell = element("th", undefined, { scope: "col", "aria-sort": state.sort === name ? "descending" : "none" }), button = element("button", title + (state.sort === name ? " ▾" : ""), { "data-sort": name });
    button.addEventListener("click", () => { state.sort = name; showSites(data); focusOn(name); });
    cell.append(button);
    row.append(cell);
  }
  document.querySelector("#table thead").replaceChildren(row);
}

function cellOf(site, measure) {
  const was = numberOf(site.old, measure.name), now = numberOf(site.new, measure.name), cell = element("td", bothText(textOf(measure), was, now));
  if (was !== undefined && now !== undefined && was !== now) cell.classList.add(now > was ? "more" : "less");
  return cell;
}

function isChosen(site, wanted, words) {
  if (words === CHANGED ? !site.words.length : words !== ALL && !site.words.includes(words)) return false;
  return !wanted || site.name.toLowerCase().includes(wanted) || site.calls.some((call) => `${call.file}:${call.line}`.toLowerCase().includes(wanted));
}

function showSites(data) {
  const wanted = document.getElementById("search").value.trim().toLowerCase(), words = document.getElementById("words").value;
  const chosen = data.sites.filter((site) => isChosen(site, wanted, words));
  document.getElementById("found").textContent = `${countText(chosen.length)} of ${countText(data.sites.length)} call sites`;
  showHead(data);
  const rows = largest(chosen, (site) => Math.abs(change(site, state.sort)), state.rows).map((site) => {
    const row = element("tr");
    row.append(element("td", site.name), element("td", site.words.join(", ") || "nothing notable", { class: "words" }));
    for (const measure of state.measures) row.append(cellOf(site, measure));
    return row;
  });
  if (chosen.length > state.rows) rows.push(moreRow(data, chosen.length - state.rows));
  document.querySelector("#table tbody").replaceChildren(...rows);
}

function moreRow(data, left) {
  const row = element("tr"), cell = element("td", undefined, { colspan: state.measures.length + 2 }), button = element("button", `show more (${countText(left)} left)`);
  button.addEventListener("click", () => { state.rows += 5 * ROWS; showSites(data); });
  cell.append(button);
  row.append(cell);
  return row;
}

function showTotals(data) {
  for (const { name, title, in_bytes } of data.measures) {
    const was = numberOf(data.old.totals, name), now = numberOf(data.new.totals, name);
    if (was === undefined && now === undefined) continue;
    const box = element("div");
    box.append(element("dt", title), element("dd", bothText(in_bytes ? bytesText : countText, was, now), { id: `total-${name}` }));
    document.getElementById("totals").append(box);
  }
}

function showWords(data) {
  const select = document.getElementById("words");
  for (const text of [CHANGED, ...data.words.filter((word) => data.sites.some((site) => site.words.includes(word))), ALL]) select.append(element("option", text));
  select.addEventListener("change", () => showSites(data));
}

async function start() {
  const data = await unpacked();
  state.sort = data.sort;
  state.measures = data.measures.filter(({ name }) => data.sites.some((site) => numberOf(site.old, name) !== undefined || numberOf(site.new, name) !== undefined));
  document.getElementById("title").textContent = data.title;
  document.getElementById("command").textContent = `${data.old.source} → ${data.new.source}`;
  for (const note of data.notes) document.getElementById("notes").append(element("li", note));
  showTotals(data);
  document.getElementById("matched").textContent = data.matched_text;
  showWords(data);
  document.getElementById("search").addEventListener("input", () => showSites(data));
  showSites(data);
  const misses = data.geometry ? `; misses are those of a simulated ${data.geometry}` : "";
  document.getElementById("foot").textContent = `malloom ${data.version}${misses}. A call site is ${data.depth} frames; lifetimes are in allocation events.`;
  document.body.dataset.ready = "yes";
}

start();
