"use strict";
// The page of two plans: what each is, then the call sites, with what serves them in either.

const UNKNOWN = { slots: -1, pool_bytes: 0, group: null };

// Most slots first, of as many the largest pool, then by the number of the group.
function byPlace(side) {
  return (a, b) => {
    const one = a[side] ?? UNKNOWN, other = b[side] ?? UNKNOWN;
    return other.slots - one.slots || other.pool_bytes - one.pool_bytes || (one.group ?? Infinity) - (other.group ?? Infinity) || 0;
  };
}

function placeColumn(data, title, side) {
  return { ...textColumn(title, title, (site) => site[title]), order: () => ranks(data.sites, byPlace(side)) };
}

function showPlan(title, lines) {
  const item = element("li", title), list = element("ul");
  list.append(...lines.map((line) => element("li", line)));
  item.append(list);
  document.getElementById("notes").append(item);
}

async function start() {
  const data = await unpacked();
  for (const title of ["before", "after"]) showPlan(title, data.lines[title]);
  for (const field of data.fields) addTotal(field.title, field.old === field.new ? field.new : `${field.old} → ${field.new}`);
  const places = [placeColumn(data, "before", "old"), placeColumn(data, "after", "new")];
  showDifference(data, places, "served alike", ". A slot is a place for one object.");
}

start();
