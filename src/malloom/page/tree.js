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

const ADDED_UP = Object.keys(MEASURES).filter((name) => MEASURES[name].sum);

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
  for (const name of ADDED_UP) {
    const number = site[name];
    if (number !== null && number !== undefined) node.sums[name] = (node.sums[name] || 0) + number;
  }
  if (node.sites === 1) node.only = site;
}

// What a row shows: sums, and what does not add up where it is one site's alone.
function valueOf(node, name) {
  if (MEASURES[name].sum) return node.sums[name];
  return node.sites === 1 ? node.only[name] : undefined;
}

// Those of the sites that a word is found in. What each frame is found by is made once, as one types letter by letter.
function matching(data, sites, wanted) {
  if (!wanted) return sites;
  data.found_by ??= data.frames.map(([, full, file, line]) => `${full}\n${file}:${line}`.toLowerCase());
  const has = data.found_by.map((text) => text.includes(wanted));
  return sites.filter((site) => site.frames.some((number) => has[number]));
}
