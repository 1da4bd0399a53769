"use strict";
// Objects by type and field: a list of them, and the chosen one as a strip of its bytes, coloured by their use.

const OBJECT_COLUMNS = ["offset", "bytes", "loads", "stores", "visits", "first_misses", "last_misses", "hidden_misses"];
const HEATS = { uses: "loads and stores", loads: "loads", stores: "stores", first_misses: "first misses", last_misses: "last misses" };
const MOST_BYTES = 4096;  // Of an object that are drawn: accesses further on are told of the whole object only.
const USED_WITH = 3;
const COLD = 0.01;  // Part of an object's uses below which a line of it is called cold.
const shownObject = { number: 0, heat: "uses" };

function fieldsOf(object) {
  return object.fields.map((row, at) => {
    const field = { name: object.names[at] };
    OBJECT_COLUMNS.forEach((column, place) => { field[column] = row[place]; });
    field.uses = field.loads + field.stores;
    return field;
  });
}

function typeText(object) { return object.elements > 1 ? `${countText(object.elements)} × ${object.type}` : object.type; }

function sizeText(object) { return object.size === null ? "further sizes" : `${countText(object.size)} bytes`; }

function showObjects(data) {
  document.getElementById("no-objects").hidden = data.objects.length > 0;
  document.getElementById("object-parts").hidden = data.objects.length === 0;
  if (!data.objects.length) return;
  const head = element("tr");
  for (const name of ["type", "size", "call site", "objects", "loads", "stores", "last misses", "not hidden"]) head.append(element("th", name, { scope: "col" }));
  document.querySelector("#object-table thead").replaceChildren(head);
  const rows = data.objects.map((object, number) => {
    const row = element("tr", undefined, { "data-object": number }), cell = element("td"), button = element("button", typeText(object) || "not known");
    button.addEventListener("click", () => { shownObject.number = number; showObject(data); });
    cell.append(button);
    row.append(cell, element("td", sizeText(object)), element("td", object.name));
    for (const name of ["requests", "loads", "stores", "misses", "exposed"]) row.append(element("td", countText(object[name])));
    return row;
  });
  document.querySelector("#object-table tbody").replaceChildren(...rows);
  const heat = document.getElementById("heat");
  for (const [name, text] of Object.entries(HEATS)) heat.append(element("option", text, { value: name }));
  heat.addEventListener("change", () => { shownObject.heat = heat.value; showObject(data); });
  showObject(data);
}

function showObject(data) {
  const object = data.objects[shownObject.number], fields = fieldsOf(object);
  for (const row of document.querySelectorAll("#object-table tbody tr")) row.classList.toggle("chosen", Number(row.dataset.object) === shownObject.number);
  document.getElementById("object-title").textContent = `${typeText(object) || "type not known"}, ${sizeText(object)}`;
  document.getElementById("object-how").textContent = howText(object);
  document.getElementById("strip").replaceChildren(...stripOf(data, object, fields));
  showFields(object, fields);
  const lines = arrangementTexts(object).map((text) => element("li", text));
  document.getElementById("arrangement").replaceChildren(...lines);
}

function howText(object) {
  if (!object.type) return `made by ${object.name}; debug information does not tell what they are`;
  return `made by ${object.name}; ${object.type.endsWith("?") ? "a guess" : "known"} by ${object.how}`;
}

// Of each byte how often accesses reached it.
function countsOf(object, fields, heat) {
  const end = Math.min(object.size === null ? Math.max(...fields.map((field) => field.offset + field.bytes)) : object.size, MOST_BYTES);
  const counts = new Array(end).fill(0);
  for (const field of fields) for (let byte = field.offset; byte < Math.min(field.offset + field.bytes, end); ++byte) counts[byte] += field[heat];
  return counts;
}

// Pieces of one line: bytes that are used alike and belong to the same fields.
function piecesOf(object, fields, counts, from, to) {
  const starts = new Set(fields.flatMap((field) => [field.offset, field.offset + field.bytes]));
  const pieces = [];
  for (let byte = from; byte < to; ++byte) {
    const last = pieces[pieces.length - 1];
    if (last && !starts.has(byte) && counts[byte] === last.count) ++last.bytes;
    else pieces.push({ offset: byte, bytes: 1, count: counts[byte] });
  }
  return pieces;
}

function nameOf(fields, piece) {
  const reaching = fields.filter((field) => field.offset <= piece.offset && piece.offset < field.offset + field.bytes && field.name);
  return reaching.length ? reaching.reduce((best, field) => (field.bytes < best.bytes ? field : best)).name : "";
}

function stripOf(data, object, fields) {
  const counts = countsOf(object, fields, shownObject.heat), most = Math.max(1, ...counts), line = data.line_bytes;
  const whole = fields.reduce((sum, field) => sum + field[shownObject.heat], 0) || 1;
  const rows = [];
  for (let from = 0; from < counts.length; from += line) {
    const to = Math.min(from + line, counts.length), row = element("div", undefined, { class: "line" }), bytes = element("div", undefined, { class: "line-bytes" });
    for (const piece of piecesOf(object, fields, counts, from, to)) bytes.append(pieceOf(fields, piece, most, line));
    const share = fields.filter((field) => field.offset >= from && field.offset < to).reduce((sum, field) => sum + field[shownObject.heat], 0) / whole;
    row.append(element("span", String(from), { class: "line-start" }), bytes, element("span", `${shareText(share)}${share < COLD ? " cold" : ""}`, { class: "line-share" }));
    rows.push(row);
  }
  return rows;
}

function pieceOf(fields, piece, most, line) {
  const name = nameOf(fields, piece), piecesText = `bytes ${piece.offset} to ${piece.offset + piece.bytes - 1}${name ? `, ${name}` : ""}: ${countText(piece.count)}`;
  const made = element("span", name, { class: "piece", title: piecesText });
  made.style.width = `${(100 * piece.bytes) / line}%`;
  // Colours by powers: what is used a thousandth as often is still told from what is not used at all. At most half
  // of the colour, so that the name is read on it.
  const heat = piece.count ? 0.12 + (0.88 * Math.log1p(piece.count)) / Math.log1p(most) : 0;
  made.style.setProperty("--heat", `${Math.round(50 * heat)}%`);
  return made;
}

function showFields(object, fields) {
  const head = element("tr");
  for (const name of ["field", "offset", "bytes", "loads", "stores", "first misses", "last misses", "hidden", "used with"]) head.append(element("th", name, { scope: "col" }));
  document.querySelector("#field-table thead").replaceChildren(head);
  const rows = fields.map((field, at) => {
    const row = element("tr");
    row.append(element("td", field.name || "-"));
    for (const name of ["offset", "bytes", "loads", "stores", "first_misses", "last_misses", "hidden_misses"]) row.append(element("td", countText(field[name])));
    row.append(element("td", withText(object, fields, at)));
    return row;
  });
  document.querySelector("#field-table tbody").replaceChildren(...rows);
}

function withText(object, fields, at) {
  const found = object.together.filter(([first, second]) => first === at || second === at).slice(0, USED_WITH);
  return found.map(([first, second, visits]) => {
    const other = fields[first === at ? second : first];
    return `${other.name || other.offset} ${shareText(visits / Math.max(1, fields[at].visits))}`;
  }).join(", ");
}

// What a visit costs in lines, and where fewer would do.
function arrangementTexts(object) {
  const found = object.arrangement;
  if (!found) return [];
  const lines = (cost) => `${cost.apart.toFixed(2)} cache lines (${cost.in_order.toFixed(2)} where objects are visited in the order in which they lie)`;
  const texts = [`While it is at hand, an object is used in ${lines(found.as_it_is)}, in the mean over where it may begin in a line.`];
  if (found.together.apart < found.as_it_is.apart - 0.01 || found.saved) texts.push(`${lines(found.together)} with the fields that are used most at its start, in this order: ${found.names.slice(0, 8).join(", ")}.`);
  if (found.kept_together) {
    texts.push(`${lines(found.split)} when it is split: ${found.names.slice(0, found.kept_together).join(", ")} in an object of ${countText(found.first_part)} bytes, the rest in another.`);
  }
  if (found.saved) texts.push(savedText(found.saved));
  return texts;
}

function savedText(saved) {
  const less = (share) => `${Math.abs(100 * share).toFixed(1)}% ${share < 0 ? "more" : "less"}`;
  const split = saved.split === null ? "" : `, and ${less(saved.split)} when they are split`;
  return `Simulated, the program waits ${less(saved.beside)} for its heap with these objects beside each other, as a pool keeps them, ${less(saved.together)} with their fields in that order too${split}.`;
}
