"use strict";
// Call sites as rows (objects with a number for each column) and as trees of calls.

function sitesOf(data) {
  return data.sites.map((row, index) => {
    const site = { index, frames: data.chains[index] };
    for (let at = 0; at < row.length; ++at) site[data.columns[at]] = row[at];
    return site;
  });
}

function frameOf(data, number) {
  const [fn, full, file, line, inlined] = data.frames[number];
  return { fn, full, file, line, inlined, place: file && line ? `${file.split("/").pop()}:${line}` : "" };
}

// A tree of calls: from the outermost call inwards, or from the innermost outwards. What lies below a call is worked
// out when it is asked for, as few of 100,000 calls are ever looked into.
function treeOf(sites, fromCallers) { return nodeOf(null, sites, 0, fromCallers); }

function nodeOf(frame, sites, depth, fromCallers) { return { frame, sites, depth, fromCallers, sums: {}, children: null }; }

function childrenOf(node) {
  if (node.children) return node.children;
  node.children = new Map();
  for (const site of node.sites) {
    if (node.depth >= site.frames.length) continue;
    const frame = site.frames[node.fromCallers ? site.frames.length - 1 - node.depth : node.depth];
    const child = node.children.get(frame);
    if (child) child.sites.push(site);
    else node.children.set(frame, nodeOf(frame, [site], node.depth + 1, node.fromCallers));
  }
  return node.children;
}

function hasChildren(node) { return node.sites.some((site) => site.frames.length > node.depth); }

// What a row shows: sums, and what does not add up where it is one site's alone.
function valueOf(node, name) {
  if (node.sites.length === 1) return node.sites[0][name];
  if (!MEASURES[name].sum) return undefined;
  if (!(name in node.sums)) {
    const told = node.sites.map((site) => site[name]).filter((number) => number !== null && number !== undefined);
    node.sums[name] = told.length ? told.reduce((sum, number) => sum + number, 0) : undefined;
  }
  return node.sums[name];
}

// Those of the sites that a word is found in. What each frame is found by is made once, as one types letter by letter.
function matching(data, sites, wanted) {
  if (!wanted) return sites;
  data.found_by ??= data.frames.map(([, full, file, line]) => `${full}\n${file}:${line}`.toLowerCase());
  const has = data.found_by.map((text) => text.includes(wanted));
  return sites.filter((site) => site.frames.some((number) => has[number]));
}
