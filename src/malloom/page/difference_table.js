"use strict";
// What the pages of a difference share: the head, and the table of call sites, which can be sorted, searched and
// chosen by what changed.

const ROWS = 200;  // Rows that are shown before one asks for more.
const CHANGED = "all that changed", ALL = "all call sites";
// columns: of each its title, its name, the cell that it makes of a site, the number by which sites are sorted, or the
// order, which is asked for that number once, and whether it rises and is text; alike: the word for what has not changed.
const state = { columns: [], sort: null, rows: ROWS, alike: "" };

// Numbers that put the sites in an order; those that are alike in it have the same.
function ranks(sites, compare) {
  const order = [...sites].sort(compare), found = new Map();
  order.forEach((site, at) => found.set(site, at && !compare(order[at - 1], site) ? found.get(order[at - 1]) : -at));
  return (site) => found.get(site);
}

function textColumn(title, name, text) {
  return { title, name, isText: true, cell: (site) => element("td", text(site), { class: "words" }) };
}

function nameColumn(data) {
  const compare = (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name));
  return { title: "call site", name: "name", rises: true, order: () => ranks(data.sites, compare), cell: (site) => element("td", site.name) };
}

function wordColumn(data) {
  const number = (site) => (site.words.length ? -data.words.indexOf(site.words[0]) : undefined);
  return { ...textColumn("what changed", "words", (site) => site.words.join(", ") || state.alike), rises: true, number };
}

function headCell(data, column) {
  const isSorted = column.name === state.sort, sorted = column.rises ? "ascending" : "descending";
  const cell = element("th", undefined, { scope: "col", "aria-sort": isSorted ? sorted : "none", class: column.isText ? "words" : "" });
  const button = element("button", column.title + (isSorted ? (column.rises ? " ▴" : " ▾") : ""), { "data-sort": column.name });
  button.addEventListener("click", () => { state.sort = column.name; showSites(data); focusOn(column.name); });
  cell.append(button);
  return cell;
}

function isChosen(site, wanted, words) {
  if (words === CHANGED ? !site.words.length : words !== ALL && !site.words.includes(words)) return false;
  return !wanted || site.name.toLowerCase().includes(wanted) || site.calls.some((call) => `${call.file}:${call.line}`.toLowerCase().includes(wanted));
}

function showSites(data) {
  const wanted = document.getElementById("search").value.trim().toLowerCase(), words = document.getElementById("words").value;
  const chosen = data.sites.filter((site) => isChosen(site, wanted, words)), sorted = state.columns.find(({ name }) => name === state.sort);
  document.getElementById("found").textContent = `${countText(chosen.length)} of ${countText(data.sites.length)} call sites`;
  sorted.number ??= sorted.order();
  const head = element("tr");
  head.append(...state.columns.map((column) => headCell(data, column)));
  document.querySelector("#table thead").replaceChildren(head);
  const rows = largest(chosen, sorted.number, state.rows).map((site) => {
    const row = element("tr");
    row.append(...state.columns.map((column) => column.cell(site)));
    return row;
  });
  if (chosen.length > state.rows) rows.push(moreRow(data, chosen.length - state.rows));
  document.querySelector("#table tbody").replaceChildren(...rows);
}

function moreRow(data, left) {
  const row = element("tr"), cell = element("td", undefined, { colspan: state.columns.length }), button = element("button", `show more (${countText(left)} left)`);
  button.addEventListener("click", () => {
    const first = state.rows;
    state.rows += 5 * ROWS;
    showSites(data);
    // Whoever goes on with the keyboard goes on from the first new row.
    const next = document.querySelectorAll("#table tbody tr")[first];
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });
  cell.append(button);
  row.append(cell);
  return row;
}

function addTotal(title, text, attributes) {
  const box = element("div");
  box.append(element("dt", title), element("dd", text, attributes));
  document.getElementById("totals").append(box);
}

// Shows all but the totals and the notes. `measured` are the columns behind the first two.
function showDifference(data, measured, alike, foot) {
  state.columns = [nameColumn(data), wordColumn(data), ...measured];
  // What neither recording tells has no column.
  state.sort = state.columns.some(({ name }) => name === data.sort) ? data.sort : "name";
  state.alike = alike;
  document.getElementById("title").textContent = data.title;
  document.getElementById("command").textContent = data.command;
  document.getElementById("matched").textContent = data.matched_text;
  document.getElementById("foot").textContent = `malloom ${data.version}${foot}`;
  const select = document.getElementById("words"), words = data.words.filter((word) => data.sites.some((site) => site.words.includes(word)));
  for (const text of [CHANGED, ...words, ALL]) select.append(element("option", text));
  select.addEventListener("change", () => showSites(data));
  document.getElementById("search").addEventListener("input", () => showSites(data));
  showSites(data);
  document.body.dataset.ready = "yes";
}
