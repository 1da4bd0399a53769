"use strict";
// The walk: a step's lines are marked in every map. Step 0 is none: all lines are shown.

const PACE = 150, CALM_PACE = 1200;  // Milliseconds a step; the calm one where the reader wants little motion.

class WalkControl {
  constructor(walks, maps) {
    Object.assign(this, { walks, maps, timer: 0 });
    this.choice = document.getElementById("walk-choice");
    this.slider = document.getElementById("step");
    this.button = document.getElementById("play");
    this.chart = document.getElementById("step-chart");
    walks.forEach((walk, at) => this.choice.append(element("option", `${walk.name} (${walk.begins.length} steps)`, { value: at })));
    this.choice.addEventListener("change", () => this.go(Math.min(1, this.step)));
    this.slider.addEventListener("input", () => this.show());
    this.button.addEventListener("click", () => this.play(!this.timer));
    new ResizeObserver(() => this.drawChart()).observe(this.chart);
  }

  get walk() { return this.walks[Number(this.choice.value)]; }
  get step() { return Number(this.slider.value); }

  go(step) {
    this.slider.max = this.walk.begins.length;
    this.slider.value = step;
    this.show();
  }

  play(wanted) {
    clearInterval(this.timer);
    this.timer = 0;
    if (wanted) this.timer = setInterval(() => this.advance(), matchMedia("(prefers-reduced-motion: reduce)").matches ? CALM_PACE : PACE);
    this.button.textContent = wanted ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", wanted);
  }

  advance() {
    if (this.step >= this.walk.begins.length) { this.play(false); return; }
    this.go(this.step + 1);
  }

  show() {
    const step = this.step - 1, walk = this.walk;
    this.maps.forEach((map, at) => map.mark(step < 0 ? null : risen(walk.cells[step][at])));
    document.getElementById("step-told").textContent = step < 0 ? "no step: all lines are shown" : this.told(walk, step);
    this.slider.setAttribute("aria-valuetext", step < 0 ? "none" : this.told(walk, step));
    this.drawChart();
  }

  told(walk, step) {
    const parts = this.maps.map((map, at) => `${map.map.name}: ${countText(walk.counts[step][at][0])} lines in ${countText(walk.counts[step][at][1])} pages`);
    return `step ${step + 1} of ${walk.begins.length}, from access ${countText(walk.begins[step])}; ${parts.join("; ")}`;
  }

  // A curve for each map: the lines of every step.
  drawChart() {
    const ratio = devicePixelRatio || 1, width = this.chart.clientWidth, height = this.chart.clientHeight;
    this.chart.width = width * ratio;
    this.chart.height = height * ratio;
    const pen = this.chart.getContext("2d"), counts = this.walk.counts, style = getComputedStyle(document.body);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const top = Math.max(1, ...counts.flatMap((step) => step.map((each) => each[0])));
    const x = (step) => 4 + (width - 8) * (counts.length > 1 ? step / (counts.length - 1) : 0.5), y = (lines) => height - 4 - (height - 22) * lines / top;
    const inks = [style.getPropertyValue("--hot"), style.getPropertyValue("--mark")];
    pen.font = "12px system-ui, sans-serif";
    let at = 4;
    this.maps.forEach((map, number) => {
      pen.strokeStyle = pen.fillStyle = inks[number];
      pen.beginPath();
      counts.forEach((step, place) => pen.lineTo(x(place), y(step[number][0])));
      pen.stroke();
      const text = `lines a step ${map.map.name} (at most ${countText(Math.max(...counts.map((step) => step[number][0])))})`;
      pen.fillText(text, at, 12);
      at += pen.measureText(text).width + 20;
    });
    if (this.step) { pen.fillStyle = style.color; pen.fillRect(x(this.step - 1) - 1, 18, 2, height - 18); }
  }
}
