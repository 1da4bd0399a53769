"use strict";
// The page of two recordings: both sides' totals, then the call sites, those of the largest difference first.

function bothText(text, was, now) {
  if (was === undefined && now === undefined) return "-";
  if (was === undefined || now === undefined) return text(was === undefined ? now : was);
  if (was === now) return text(now);
  return `${text(was)} → ${text(now)}${was ? ` (${(now / was).toFixed(2)})` : ""}`;
}

function numberOf(side, name) { return side && side[name] !== null ? side[name] : undefined; }

function change(site, name) { return (numberOf(site.new, name) || 0) - (numberOf(site.old, name) || 0); }

function textOf(measure) { return measure.in_bytes ? bytesText : countText; }

function cellOf(site, measure) {
  const was = numberOf(site.old, measure.name), now = numberOf(site.new, measure.name), cell = element("td", bothText(textOf(measure), was, now));
  if (was !== undefined && now !== undefined && was !== now) cell.classList.add(now > was ? "more" : "less");
  return cell;
}

function measureColumn(measure) {
  return { ...measure, number: (site) => Math.abs(change(site, measure.name)), cell: (site) => cellOf(site, measure) };
}

function showTotals(data) {
  for (const measure of data.measures) {
    const was = numberOf(data.old.totals, measure.name), now = numberOf(data.new.totals, measure.name);
    if (was !== undefined || now !== undefined) addTotal(measure.title, bothText(textOf(measure), was, now), { id: `total-${measure.name}` });
  }
}

async function start() {
  const data = await unpacked();
  const measures = data.measures.filter(({ name }) => data.sites.some((site) => numberOf(site.old, name) !== undefined || numberOf(site.new, name) !== undefined));
  for (const note of data.notes) document.getElementById("notes").append(element("li", note));
  showTotals(data);
  const misses = data.geometry ? `; misses are those of a simulated ${data.geometry}` : "";
  showDifference(data, measures.map(measureColumn), "nothing notable", `${misses}. A call site is ${data.depth} frames; lifetimes are in allocation events.`);
}

start();
