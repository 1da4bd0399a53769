"use strict";
// Numbers as people read them. Text goes into the page as text alone, never as markup.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

function bytesText(count) {
  let unit = 0, size = count;
  while (size >= 1024 && unit < UNITS.length - 1) { size /= 1024; ++unit; }
  return unit === 0 ? `${count} B` : `${size.toFixed(1)} ${UNITS[unit]}`;
}

function countText(count) { return count.toLocaleString("en"); }

function shareText(share) { return `${Math.round(100 * share)}%`; }

function known(value, text) { return value === null || value === undefined ? "-" : text(value); }

// name: what it is called; text: of a number; sum: whether the numbers of several sites add up; signed: whether there
// are some below 0, of which nothing is drawn.
const MEASURES = {
  requests: { name: "requests", text: countText, sum: true },
  bytes: { name: "bytes", text: bytesText, sum: true },
  at_peak: { name: "at the peak", text: bytesText, sum: true },
  live_peak: { name: "own peak", text: bytesText, sum: false },
  lifetime: { name: "lifetime", text: countText, sum: false },
  to_end: { name: "to end", text: shareText, sum: false },
  accessed: { name: "used", text: shareText, sum: false },
  loads: { name: "loads", text: countText, sum: true },
  stores: { name: "stores", text: countText, sum: true },
  first_misses: { name: "first misses", text: countText, sum: true },
  misses: { name: "last misses", text: countText, sum: true },
  exposed: { name: "not hidden", text: countText, sum: true },
  gain: { name: "predicted gain", text: shareText, sum: true, signed: true },
};

function element(tag, text, attributes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  return made;
}

// The largest so many of the items, in order; what has no number comes last. Only these are put in order, and each
// number is looked up once: there may be 100,000 items.
function largest(items, number, count) {
  const keys = Float64Array.from(items, (item) => number(item) ?? -Infinity);
  const least = items.length > count ? Float64Array.from(keys).sort()[items.length - count] : -Infinity;
  const places = [];
  keys.forEach((key, at) => { if (key >= least) places.push(at); });
  return places.sort((a, b) => keys[b] - keys[a] || a - b).slice(0, count).map((at) => items[at]);
}

// After a table has been made anew.
function focusOn(name) { document.querySelector(`#table thead button[data-sort="${name}"]`)?.focus(); }

// The library that draws. It is millions of letters of code, so it waits as text until it is needed.
function drawing() {
  if (!window.Plotly) document.head.append(element("script", document.getElementById("library").textContent));
  return window.Plotly;
}

// The page's data.
async function unpacked() {
  const letters = atob(document.getElementById("data").textContent), packed = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; ++at) packed[at] = letters.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
