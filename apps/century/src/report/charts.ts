/** Inline SVG charts: ours in accent, the original grey and dashed, no library, no smoothing, gaps stay gaps. */
import { BLANK, escapeHtml, fixed } from "./format.ts";

const W = 480;
const H = 220;
const PAD = { left: 52, right: 16, top: 18, bottom: 30 };

export interface Series {
  readonly name: string;
  readonly kind: "ours" | "original" | "later";
  readonly points: readonly { readonly x: number; readonly y: number | null }[];
}

/** Both axes logarithmic; a null y breaks the line. */
export function logChart(title: string, unit: string, series: readonly Series[]): string {
  const points = series.flatMap((s) => s.points).filter((p): p is { x: number; y: number } => p.y !== null && p.y > 0);
  if (points.length === 0) return figure(title, unit, `<p class="none">${BLANK}: nothing was measured</p>`);
  const xs = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs, Math.min(...xs) * 2)];
  const [y0, y1] = niceLog(Math.min(...points.map((p) => p.y)), Math.max(...points.map((p) => p.y)));
  const x = (v: number): number => PAD.left + (Math.log(v / x0) / Math.log(x1 / x0)) * (W - PAD.left - PAD.right);
  const y = (v: number): number => H - PAD.bottom - (Math.log(v / y0) / Math.log(y1 / y0)) * (H - PAD.top - PAD.bottom);
  const grid = logTicks(y0, y1).map(
    (v) =>
      `<line class="gl" x1="${PAD.left}" x2="${W - PAD.right}" y1="${y(v).toFixed(1)}" y2="${y(v).toFixed(1)}"/><text x="${PAD.left - 6}" y="${(y(v) + 4).toFixed(1)}" text-anchor="end">${fixed(v, v < 1 ? 1 : 0)}</text>`,
  );
  const ticks = xs.map((v) => `<text x="${x(v).toFixed(1)}" y="${H - 10}" text-anchor="middle">${fixed(v)}</text>`);
  const lines = series.map((s) => line(s, x, y));
  return figure(
    title,
    unit,
    `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="${escapeHtml(title)}">${grid.join("")}${ticks.join("")}${lines.join("")}</svg>`,
  );
}

function line(series: Series, x: (v: number) => number, y: (v: number) => number): string {
  const runs: string[][] = [[]];
  for (const p of series.points) {
    if (p.y === null || p.y <= 0) runs.push([]);
    else runs.at(-1)!.push(`${x(p.x).toFixed(1)},${y(p.y).toFixed(1)}`);
  }
  const paths = runs
    .filter((r) => r.length > 1)
    .map((r) => `<polyline class="${series.kind}" points="${r.join(" ")}"/>`);
  const marks = series.points
    .filter((p): p is { x: number; y: number } => p.y !== null && p.y > 0)
    .map(
      (p) =>
        `<circle class="mark ${series.kind}" cx="${x(p.x).toFixed(1)}" cy="${y(p.y).toFixed(1)}" r="3.2"><title>${escapeHtml(series.name)}, ${fixed(p.x)}: ${fixed(p.y, 2)}</title></circle>`,
    );
  const last = series.points.findLast((p): p is { x: number; y: number } => p.y !== null && p.y > 0);
  const label =
    last === undefined
      ? ""
      : `<text class="lb" x="${Math.min(x(last.x), W - PAD.right).toFixed(1)}" y="${(y(last.y) - 8).toFixed(1)}" text-anchor="end">${escapeHtml(series.name)}</text>`;
  return paths.join("") + marks.join("") + label;
}

export interface Area {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number | null }[];
}

/** Values over time, linear, one line a process class; the first is ours in accent, the rest in greys. */
export function timeChart(title: string, unit: string, series: readonly Area[]): string {
  const all = series.flatMap((s) => s.points).filter((p) => p.y !== null);
  if (all.length === 0) return figure(title, unit, `<p class="none">${BLANK}: nothing was sampled</p>`);
  const xMax = Math.max(...all.map((p) => p.x), 1);
  const yMax = niceCeil(Math.max(...all.map((p) => p.y!)));
  const x = (v: number): number => PAD.left + (v / xMax) * (W - PAD.left - PAD.right);
  const y = (v: number): number => H - PAD.bottom - (v / yMax) * (H - PAD.top - PAD.bottom);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (f) =>
      `<line class="gl" x1="${PAD.left}" x2="${W - PAD.right}" y1="${y(f * yMax).toFixed(1)}" y2="${y(f * yMax).toFixed(1)}"/><text x="${PAD.left - 6}" y="${(y(f * yMax) + 4).toFixed(1)}" text-anchor="end">${fixed(f * yMax)}</text>`,
  );
  const ticks = [0, 0.5, 1].map(
    (f) =>
      `<text x="${x(f * xMax).toFixed(1)}" y="${H - 10}" text-anchor="${f === 0 ? "start" : f === 1 ? "end" : "middle"}">${fixed(f * xMax)} s</text>`,
  );
  const lines = series.map(
    (s, i) =>
      `<polyline class="area a${i}" points="${thin(s.points)
        .map((p) => `${x(p.x).toFixed(1)},${y(p.y!).toFixed(1)}`)
        .join(" ")}"/>`,
  );
  const legend = `<p class="leg">${series.map((s, i) => `<span><i class="a${i}"></i>${escapeHtml(s.name)}</span>`).join("")}</p>`;
  return figure(
    title,
    unit,
    `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="${escapeHtml(title)}">${grid.join("")}${ticks.join("")}${lines.join("")}</svg>${legend}`,
  );
}

/** Stacked shares, one bar a row. */
export function shareBars(
  title: string,
  unit: string,
  rows: readonly { readonly label: string; readonly parts: readonly number[]; readonly note: string }[],
  names: readonly string[],
): string {
  const bars = rows
    .map((row) => {
      const total = row.parts.reduce((a, b) => a + b, 0);
      if (total === 0)
        return `<div class="bar"><span>${escapeHtml(row.label)}</span><b class="none">${BLANK}</b><em></em></div>`;
      const parts = row.parts.map(
        (p, i) =>
          `<i class="s${i}" style="width:${((100 * p) / total).toFixed(2)}%" title="${escapeHtml(names[i] ?? "")}: ${fixed(p)}"></i>`,
      );
      return `<div class="bar"><span>${escapeHtml(row.label)}</span><b>${parts.join("")}</b><em>${escapeHtml(row.note)}</em></div>`;
    })
    .join("");
  return figure(
    title,
    unit,
    `<div class="bars">${bars}</div><p class="leg">${names.map((n, i) => `<span><i class="s${i}"></i>${escapeHtml(n)}</span>`).join("")}</p>`,
  );
}

function figure(title: string, unit: string, body: string): string {
  return `<figure><figcaption><b>${escapeHtml(title)}</b> ${escapeHtml(unit)}</figcaption>${body}</figure>`;
}

function thin(points: Area["points"]): Area["points"] {
  const known = points.filter((p) => p.y !== null);
  const step = Math.ceil(known.length / 400);
  return known.filter((_, i) => i % step === 0 || i === known.length - 1);
}

function niceCeil(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.ceil(value / unit / 0.5) * unit * 0.5;
}

const STEPS = [1, 2, 5, 10];
function niceLog(low: number, high: number): [number, number] {
  const down = 10 ** Math.floor(Math.log10(low));
  const up = 10 ** Math.floor(Math.log10(high));
  return [down * (STEPS.findLast((s) => down * s <= low) ?? 1), up * (STEPS.find((s) => up * s >= high) ?? 10)];
}
function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let unit = 10 ** Math.floor(Math.log10(low)); unit <= high; unit *= 10) {
    for (const step of [1, 2, 5]) if (unit * step >= low && unit * step <= high * 1.001) ticks.push(unit * step);
  }
  return ticks;
}
