"use strict";
// The page: numbers, colours, maps and the walk. A link to #colour=owner&step=40&walk=1 opens it so.

function counted(count, one, more) { return `${countText(count)} ${count === 1 ? one : more}`; }

function row(table, part, cells, tag) {
  const made = element("tr");
  cells.forEach(([text, id]) => made.append(element(tag, text, id ? { id } : {})));
  document.querySelector(`#${table} ${part}`).append(made);
}

function showNumbers(data) {
  const mean = (walk, at, which) => walk.means[at][which].toFixed(1), what = data.has_accesses ? "touched" : "with objects";
  const told = [[`lines ${what}`, "lines", (map) => countText(map.lines_touched)], [`pages ${what}`, "pages", (map) => countText(map.pages_touched)]];
  if (data.has_accesses) told.push(["bytes used of a touched line", "bytes", (map) => map.bytes_per_line.toFixed(1)]);
  data.walks.forEach((walk, number) => {
    told.push([`lines a step, walk ${walk.name}`, `walk-lines-${number}`, (map, at) => mean(walk, at, 0)], [`pages a step, walk ${walk.name}`, `walk-pages-${number}`, (map, at) => mean(walk, at, 1)]);
  });
  if (data.maps.length > 1) told.push(["requests placed", "placed", (map, at) => at ? `${countText(map.placed)} of ${countText(data.requests)}` : "-"]);
  row("numbers", "thead", [["", ""], ...data.maps.map((map) => [map.name, ""])], "th");
  for (const [name, id, text] of told) row("numbers", "tbody", [[name, ""], ...data.maps.map((map, at) => [text(map, at), `${id}-${at}`])], "td");
}

function mapText(data, map, drawn) {
  const gaps = drawn.rows.filter((each) => each.gap), left = map.pages_in_all - map.page_numbers.length, parts = [];
  parts.push(left ? `${countText(map.page_numbers.length)} of ${countText(map.pages_in_all)} pages with objects are drawn, those with the most accesses; ${countText(left)} are left out` : `${countText(map.pages_in_all)} pages with objects`);
  if (gaps.length) parts.push(`${counted(gaps.length, "gap is", "gaps are")} folded, ${countText(gaps.reduce((sum, each) => sum + each.gap, 0))} pages ${left ? "that are left out or have no objects" : "without objects"}`);
  const rest = data.requests - map.placed;
  if (map.placed && rest) parts.push(`not placed: ${counted(rest, "request", "requests")}, drawn at the end, where they were recorded`);
  return `${parts.join("; ")}.`;
}

function showDetails(data, drawn, cell) {
  const box = document.getElementById("details"), map = drawn.map, line = drawn.line[cell];
  const address = addressText(map.page_numbers[Math.floor(cell / PAGE_LINES)], cell % PAGE_LINES * LINE_BYTES);
  box.replaceChildren(element("p", `${map.name}: line at ${address}${line < 0 ? "; no object" : lineText(data, map.lines, line)}`));
  if (line < 0) return;
  const list = element("ul"), spots = drawn.spotsIn(cell), shown = spots.slice(0, LISTED);
  for (const at of shown) list.append(element("li", spotText(data, map.spots, at)));
  const left = map.lines.objects[line] - shown.reduce((sum, at) => sum + map.spots.requests[at], 0);
  if (left > 0 && shown.length) list.append(element("li", `and ${countText(left)} more`));
  box.append(list);
}

function lineText(data, lines, at) {
  const objects = `; ${counted(lines.objects[at], "object", "objects")} over the run, of ${data.owners[lines.owner[at]]}${lines.objects[at] > 1 ? " and maybe others" : ""}`;
  if (!data.has_accesses) return objects;
  const first = lines.first[at] < 0 ? "" : `, ${lines.used[at]} of 64 bytes used, first by access ${countText(lines.first[at])}`;
  return `${objects}; ${counted(lines.accesses[at], "access", "accesses")}${first}`;
}

function spotText(data, spots, at) {
  const accesses = data.has_accesses ? `, ${counted(spots.accesses[at], "access", "accesses")} to it` : "";
  const times = spots.requests[at] > 1 ? `, and ${countText(spots.requests[at] - 1)} more at this place later` : "";
  return `${bytesText(spots.size[at])} of ${data.owners[spots.owner[at]]}: request ${countText(spots.first[at] + 1)}${times}${accesses}`;
}

function makeMaps(data) {
  return data.maps.map((map, at) => {
    const drawn = new HeapMap(data, map, (own, cell) => showDetails(data, own, cell));
    const section = element("div", undefined, { class: "map" });
    section.append(element("h2", map.name), element("p", mapText(data, map, drawn), { id: `told-${at}` }), drawn.scroll);
    document.getElementById("maps").append(section);
    return drawn;
  });
}

function makeColours(data, maps, wanted) {
  const select = document.getElementById("colour");
  for (const [key, colour] of Object.entries(COLOURS)) if (data.has_accesses || !colour.needsAccesses) select.append(element("option", colour.name, { value: key }));
  if (wanted in COLOURS && (data.has_accesses || !COLOURS[wanted].needsAccesses)) select.value = wanted;
  const paint = () => {
    const colour = COLOURS[select.value], scheme = theme(), painter = colour.painter(data, scheme);
    document.getElementById("legend").replaceChildren(...colour.legend(data, scheme));
    for (const map of maps) { map.paint = painter; map.draw(); }
  };
  select.addEventListener("change", paint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
}

function makeWalk(data, maps, wanted) {
  if (!data.walks.length) { document.getElementById("walk").hidden = true; return; }
  const control = new WalkControl(data.walks, maps);
  control.choice.value = data.walks[Number(wanted.get("walk"))] ? Number(wanted.get("walk")) : 0;
  control.go(Number(wanted.get("step")) || 0);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => control.drawChart());
}

async function start() {
  const data = await unpacked(), wanted = new URLSearchParams(location.hash.slice(1));
  document.getElementById("title").textContent = data.title;
  document.getElementById("command").textContent = data.arguments.join(" ") || data.executable;
  for (const gap of data.gaps) document.getElementById("gaps").append(element("li", gap));
  for (const note of data.notes) document.getElementById("notes").append(element("li", note));
  showNumbers(data);
  const maps = makeMaps(data);
  for (const map of maps) map.fit();
  makeColours(data, maps, wanted.get("colour"));
  makeWalk(data, maps, wanted);
  const chosen = maps[Number(wanted.get("map"))];
  if (chosen && wanted.has("cell") && Number(wanted.get("cell")) < chosen.line.length) chosen.point(Number(wanted.get("cell")));
  else document.getElementById("details").append(element("p", "Point at a line, tap it, or go there with Tab and the arrow keys, to see what lies in it."));
  const plan = data.plan ? `; plan ${data.plan}` : "";
  document.getElementById("foot").textContent = `${data.profile}, recorded ${data.created}${plan}; malloom ${data.version}. A row is a page of 4 KiB, a cell a line of 64 bytes; all objects of the run are drawn, whenever they lived.`;
  document.body.dataset.ready = "yes";
}

start();
