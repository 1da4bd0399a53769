"use strict";
// Call sites as rows (objects with a number for each column) and as trees of calls.

function sitesOf(data) {
  return data.sites.map((row, index) => {
    const site = { index };
    data.columns.forEach((column, at) => { site[column] = row[at]; });
    site.frames = data.chains[index];
    return site;
  });
}

function frameOf(data, number) {
  const [fn, full, file, line, inlined] = data.frames[number];
  return { fn, full, file, line, inlined, place: file && line ? `${file.split("/").pop()}:${line}` : "" };
}

// A tree of calls: from the outermost call inwards, or from the innermost outwards.
function treeOf(sites, fromCallers) {
  const root = { frame: null, sums: {}, children: new Map(), sites: 0 };
  for (const site of sites) {
    const chain = fromCallers ? [...site.frames].reverse() : site.frames;
    let node = root;
    addTo(node, site);
    for (const frame of chain) {
      let next = node.children.get(frame);
      if (!next) { next = { frame, sums: {}, children: new Map(), sites: 0 }; node.children.set(frame, next); }
      addTo(next, site);
      node = next;
    }
  }
  return root;
}

function addTo(node, site) {
  ++node.sites;
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (site[name] === null || site[name] === undefined) continue;
    if (measure.sum) node.sums[name] = (node.sums[name] || 0) + site[name];
  }
  if (node.sites === 1) node.only = site;
}

// What a row shows: sums, and what does not add up where it is one site's alone.
function valueOf(node, name) {
  if (MEASURES[name].sum) return node.sums[name];
  return node.sites === 1 ? node.only[name] : undefined;
}

function compare(a, b) { return (b === null || b === undefined ? -1 : b) - (a === null || a === undefined ? -1 : a); }

function matches(data, site, wanted) {
  if (!wanted) return true;
  return site.frames.some((number) => {
    const frame = frameOf(data, number);
    return frame.full.toLowerCase().includes(wanted) || `${frame.file}:${frame.line}`.toLowerCase().includes(wanted);
  });
}
