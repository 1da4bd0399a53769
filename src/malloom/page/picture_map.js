"use strict";
// One map: a row for each page, a cell for each line. Only what is scrolled to is drawn.

const PAGE_LINES = 64, LINE_BYTES = 64, PAGE_BYTES = 4096;
const ARENA_PAGE = 2 ** 51;  // The plan's arena begins at 2^63.
const GUTTER = 118;  // Pixels at the left, for addresses.
const LABEL = 16;  // Pixels that a text needs.
const FADED = 0.3;  // Of what is not touched by the step that is shown.
const LISTED = 5;  // Objects of a line.

// Rising numbers from what each is above the one before.
function risen(differences) {
  let sum = 0;
  return differences.map((each) => { sum += each; return sum; });
}

function addressText(page, offset) {
  const inArena = page >= ARENA_PAGE;
  const number = (BigInt(inArena ? page - ARENA_PAGE : page) * 4096n + BigInt(offset)).toString(16);
  return inArena ? `plan + 0x${number}` : `0x${number}`;
}

// Pages of the plan's arena first, then what lies where it was recorded; gaps between neighbours are a row.
function rowsOf(pages) {
  const rows = [], planned = pages.findIndex((page) => page >= ARENA_PAGE);
  const add = (begin, end) => {
    for (let at = begin; at < end; ++at) {
      const gap = at > begin ? pages[at] - pages[at - 1] - 1 : 0;
      if (gap) rows.push({ gap });
      rows.push({ page: at });
    }
  };
  if (planned < 0) { add(0, pages.length); return rows; }
  add(planned, pages.length);
  if (planned) { rows.push({ rest: true }); add(0, planned); }
  return rows;
}

class HeapMap {
  constructor(data, map, told) {
    Object.assign(this, { data, map, told, cursor: -1, marks: null, paint: null });
    this.rows = rowsOf(map.page_numbers);
    this.line = new Int32Array(map.page_numbers.length * PAGE_LINES).fill(-1);
    risen(map.lines.cell).forEach((cell, at) => { this.line[cell] = at; });
    this.rowOfPage = new Int32Array(map.page_numbers.length);
    this.rows.forEach((row, at) => { if (row.page !== undefined) this.rowOfPage[row.page] = at; });
    this.begins = risen(map.spots.begin);
    this.scroll = element("div", undefined, { class: "scroll", tabindex: "-1" });
    this.tall = element("div");
    this.canvas = element("canvas", undefined, { tabindex: "0", role: "application", "aria-label": `Map of the heap ${map.name}; arrow keys go from line to line` });
    this.tall.append(this.canvas);
    this.scroll.append(this.tall);
    this.listen();
  }

  listen() {
    this.scroll.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.fit()).observe(this.scroll);
    for (const kind of ["pointermove", "pointerdown"]) this.canvas.addEventListener(kind, (event) => this.point(this.cellAt(event)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => { if (this.cursor < 0) this.point(this.firstCell()); });
  }

  // Rows as high as lets all be seen, within bounds.
  fit() {
    const width = this.scroll.clientWidth, height = this.scroll.clientHeight, ratio = devicePixelRatio || 1;
    this.cell = Math.max(2, Math.floor((width - GUTTER) / PAGE_LINES));
    this.row = Math.max(2, Math.min(14, Math.floor(height / this.rows.length)));
    this.tall.style.height = `${Math.max(height, this.rows.length * this.row + LABEL)}px`;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.pen = this.canvas.getContext("2d");
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  draw() {
    if (!this.pen || !this.paint) return;
    const style = getComputedStyle(document.body);
    this.inks = { ink: style.color, mark: style.getPropertyValue("--mark").trim(), line: style.getPropertyValue("--line").trim() };
    const height = this.scroll.clientHeight, top = this.scroll.scrollTop;
    this.pen.clearRect(0, 0, this.scroll.clientWidth, height);
    this.pen.font = "11px ui-monospace, monospace";
    this.pen.textBaseline = "middle";
    let labelled = -LABEL;
    const end = Math.min(this.rows.length, Math.ceil((top + height) / this.row));
    for (let at = Math.max(0, Math.floor(top / this.row)); at < end; ++at) {
      const y = at * this.row - top, row = this.rows[at];
      const hasRoom = y - labelled >= LABEL;
      if (row.page === undefined) this.drawBreak(row, y, hasRoom);
      else this.drawPage(row.page, y, hasRoom);
      if (hasRoom) labelled = y;
    }
    if (this.cursor >= 0) this.drawCursor(top);
  }

  drawBreak(row, y, hasRoom) {
    const middle = y + this.row / 2, text = row.rest ? "not placed" : `${countText(row.gap)} pages apart`;
    this.pen.strokeStyle = row.rest ? this.inks.ink : this.inks.line;
    this.pen.setLineDash(row.rest ? [] : [2, 4]);
    this.pen.beginPath();
    this.pen.moveTo(row.rest ? 0 : GUTTER, middle);
    this.pen.lineTo(GUTTER + PAGE_LINES * this.cell, middle);
    this.pen.stroke();
    this.pen.setLineDash([]);
    if (hasRoom && (row.rest || this.row >= 9)) this.label(text, middle);
  }

  drawPage(page, y, hasRoom) {
    const lines = this.map.lines, space = this.row > 5 && this.cell > 4 ? 1 : 0;
    for (let at = 0; at < PAGE_LINES; ++at) {
      const cell = page * PAGE_LINES + at, line = this.line[cell];
      if (line < 0) continue;
      const isMarked = this.marks && this.marks.has(cell);
      this.pen.globalAlpha = this.marks && !isMarked ? FADED : 1;
      this.pen.fillStyle = isMarked ? this.inks.mark : this.paint(lines, line);
      this.pen.fillRect(GUTTER + at * this.cell, y, this.cell - space, this.row - space);
    }
    this.pen.globalAlpha = 1;
    if (hasRoom) this.label(addressText(this.map.page_numbers[page], 0), y + Math.max(this.row / 2, 5));
  }

  label(text, y) {
    this.pen.fillStyle = this.inks.ink;
    this.pen.fillText(text, 4, y, GUTTER - 8);
  }

  drawCursor(top) {
    const page = Math.floor(this.cursor / PAGE_LINES), y = this.rowOfPage[page] * this.row - top;
    this.pen.strokeStyle = this.inks.ink;
    this.pen.lineWidth = 2;
    this.pen.strokeRect(GUTTER + this.cursor % PAGE_LINES * this.cell - 1, y - 1, this.cell + 1, this.row + 1);
    this.pen.lineWidth = 1;
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = this.rows[Math.floor((event.clientY - box.top + this.scroll.scrollTop) / this.row)];
    const line = Math.floor((event.clientX - box.left - GUTTER) / this.cell);
    return row && row.page !== undefined && line >= 0 && line < PAGE_LINES ? row.page * PAGE_LINES + line : -1;
  }

  firstCell() {
    const row = this.rows.find((each) => each.page !== undefined);
    return row ? row.page * PAGE_LINES : -1;
  }

  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-16, 0], PageDown: [16, 0] }[event.key];
    if (!step || this.cursor < 0) return;
    event.preventDefault();
    const pages = this.rows.filter((row) => row.page !== undefined), now = pages.findIndex((row) => row.page === Math.floor(this.cursor / PAGE_LINES));
    const next = pages[Math.max(0, Math.min(pages.length - 1, now + step[0]))].page;
    const line = Math.max(0, Math.min(PAGE_LINES - 1, this.cursor % PAGE_LINES + step[1]));
    this.show(next);
    this.point(next * PAGE_LINES + line);
  }

  // Scrolls where the page is not to be seen.
  show(page) {
    const y = this.rowOfPage[page] * this.row, top = this.scroll.scrollTop, height = this.scroll.clientHeight;
    if (y < top || y + this.row > top + height) this.scroll.scrollTop = Math.max(0, y - height / 3);
  }

  point(cell) {
    if (cell < 0 || cell === this.cursor) return;
    this.cursor = cell;
    this.draw();
    this.told(this, cell);
  }

  mark(cells) {
    this.marks = cells === null ? null : new Set(cells);
    if (cells && cells.length && !cells.some((cell) => this.isSeen(cell))) this.show(Math.floor(cells[0] / PAGE_LINES));
    this.draw();
  }

  isSeen(cell) {
    const y = this.rowOfPage[Math.floor(cell / PAGE_LINES)] * this.row - this.scroll.scrollTop;
    return y >= 0 && y < this.scroll.clientHeight;
  }

  // Of the objects that lay in a line those with the most accesses.
  spotsIn(cell) {
    const spots = this.map.spots, begin = cell * LINE_BYTES, end = begin + LINE_BYTES, found = [];
    this.begins.forEach((from, at) => { if (from < end && from + spots.length[at] > begin) found.push(at); });
    return found.sort((a, b) => spots.accesses[b] - spots.accesses[a] || spots.first[a] - spots.first[b]);
  }
}
