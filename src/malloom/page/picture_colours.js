"use strict";
// What colour a line has: by heat, by owner or by time; and the legend that says so.

const RAMPS = {
  heat: { light: ["#fbe3a1", "#f49b3f", "#d6402b", "#6d0b3c"], dark: ["#4d2350", "#a52b57", "#f06d3a", "#ffe89a"] },
  time: { light: ["#cfead0", "#67bb83", "#1d7d68", "#06373f"], dark: ["#0d4a4d", "#2a8a6c", "#8ccf7a", "#f3f6b0"] },
};
const OWNERS = ["#4e79a7", "#f28e2b", "#d1495b", "#59a14f", "#edc948", "#9467bd", "#17a2a2", "#ff8fb1", "#9c755f", "#7fb3ff"];
const NAMED = OWNERS.length;  // Owners with a colour of their own: those with the most bytes.
const SHADES = 64;
const UNUSED = { light: "#dfe3e7", dark: "#343a40" };  // An object lies there, and there is nothing to tell of it.
const OTHERS = { light: "#9aa1a8", dark: "#71787f" };

function theme() { return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"; }

function mixed(from, to, share) {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  return "#" + [1, 3, 5].map((at) => Math.round(part(from, at) + share * (part(to, at) - part(from, at))).toString(16).padStart(2, "0")).join("");
}

function shadesOf(stops) {
  return Array.from({ length: SHADES }, (_, at) => {
    const place = at / (SHADES - 1) * (stops.length - 1), stop = Math.min(Math.floor(place), stops.length - 2);
    return mixed(stops[stop], stops[stop + 1], place - stop);
  });
}

function shade(shades, share) { return shades[Math.max(0, Math.min(SHADES - 1, Math.round(share * (SHADES - 1))))]; }

// Each way to colour: whether it can be chosen, what a line's colour is, and what the legend says.
const COLOURS = {
  heat: {
    name: "by heat (accesses)", needsAccesses: true,
    painter(data, scheme) {
      const shades = shadesOf(RAMPS.heat[scheme]), top = Math.log(Math.max(2, largest(data, "accesses")));
      return (lines, at) => lines.accesses[at] ? shade(shades, Math.log(lines.accesses[at]) / top) : UNUSED[scheme];
    },
    legend(data, scheme) { return [rampOf(RAMPS.heat[scheme], "1 access", `${countText(largest(data, "accesses"))} (logarithmic)`), swatch(UNUSED[scheme], "object without accesses")]; },
  },
  owner: {
    name: "by owner (call site)", needsAccesses: false,
    painter(data, scheme) { return (lines, at) => lines.owner[at] < NAMED ? OWNERS[lines.owner[at]] : OTHERS[scheme]; },
    legend(data, scheme) {
      const named = data.owners.slice(0, NAMED).map((name, at) => swatch(OWNERS[at], `${name} (${bytesText(data.owner_bytes[at])})`));
      return data.owners.length > NAMED ? [...named, swatch(OTHERS[scheme], `${countText(data.owners.length - NAMED)} more`)] : named;
    },
  },
  first: {
    name: "by first use", needsAccesses: true,
    painter(data, scheme) {
      const shades = shadesOf(RAMPS.time[scheme]), last = Math.max(1, largest(data, "first"));
      return (lines, at) => lines.first[at] < 0 ? UNUSED[scheme] : shade(shades, lines.first[at] / last);
    },
    legend(data, scheme) { return [rampOf(RAMPS.time[scheme], "first access of all", `access ${countText(largest(data, "first"))}`), swatch(UNUSED[scheme], "object without accesses")]; },
  },
  request: {
    name: "by time of request", needsAccesses: false,
    painter(data, scheme) {
      const shades = shadesOf(RAMPS.time[scheme]), last = Math.max(1, data.requests - 1);
      return (lines, at) => shade(shades, lines.born[at] / last);
    },
    legend(data, scheme) { return [rampOf(RAMPS.time[scheme], "first request", `request ${countText(data.requests)}`)]; },
  },
};

function largest(data, column) {
  return data.maps.reduce((most, map) => map.lines[column].reduce((own, value) => Math.max(own, value), most), 0);
}

function swatch(colour, text) {
  const whole = element("span"), box = element("span", undefined, { class: "swatch" });
  box.style.background = colour;
  whole.append(box, text);
  return whole;
}

function rampOf(stops, from, to) {
  const whole = element("span"), box = element("span", undefined, { class: "ramp" });
  box.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  whole.append(from, box, to);
  return whole;
}
