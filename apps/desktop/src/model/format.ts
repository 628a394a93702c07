/** Numbers and times as the product writes them. Thin space before the percent sign; money in three or two places. */
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function count(value: number): string {
  return whole.format(value);
}

/** Nano-dollars: three decimals under one dollar, two above. */
export function money(nano: number): string {
  const usd = nano / 1e9;
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(3)}`;
}

/** `950`, `1.2k`, `61k`, `7.27M`. */
export function compact(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(value < 1e4 ? 1 : 0)}k`;
  return String(Math.round(value));
}

/** Share of the input that came from a cache, in percent; undefined when there was no input. */
export function cachedPercent(totals: { readonly input: number; readonly cached: number }): number | undefined {
  return totals.input > 0 ? (totals.cached / totals.input) * 100 : undefined;
}

export function percent(value: number, digits = 1): string {
  return `${value.toFixed(digits)}\u2009%`;
}

/** `41s`, `2m 43s`, `3h 05m`. Input in ms. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${String(s % 60).padStart(2, "0")}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}

/** One unit: `41s`, `6m`, `3h`, `2d`. Input in ms. */
export function shortAge(ms: number): string {
  return duration(ms).split(" ")[0] ?? "";
}

/** A measured time: `0.02 s`, `4.0 s`, `38 s`, `2 m 51 s`. Input in ms. */
export function seconds(ms: number): string {
  const s = ms / 1000;
  if (s < 0.0095) return `${Math.round(ms)} ms`;
  if (s < 0.095) return `${s.toFixed(2)} s`;
  if (s < 9.95) return `${s.toFixed(1)} s`;
  const whole = Math.round(s);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, "0")} s`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${(value / 1000).toFixed(1)} KB`;
  return `${(value / 1e6).toFixed(1)} MB`;
}

/** Local wall time `14:02:11`. */
export function clockTime(ms: number): string {
  const d = new Date(ms);
  return [d.getHours(), d.getMinutes(), d.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}

export function dateTime(ms: number): string {
  const d = new Date(ms);
  return `${d.getDate()} ${d.toLocaleString("en-GB", { month: "short" })} ${d.getFullYear()}, ${clockTime(ms)}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** The model's short name on a card: `google/gemini-3.6-flash` → `flash`, `sim/perfect` → `perfect`. */
export function modelAlias(model: string): string {
  const name = model.slice(model.indexOf("/") + 1);
  const family = /(?:^|-)(flash-lite|flash|pro|mini|nano|opus|sonnet|haiku)(?:-|$)/.exec(name);
  return family?.[1] ?? name;
}
