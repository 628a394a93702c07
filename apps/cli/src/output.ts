/** How the command line speaks: colours on a terminal only, `NO_COLOR` honoured, `--json` for programs. */
const COLOR = process.stdout.isTTY && !process.env["NO_COLOR"];

function paint(code: string): (text: string) => string {
  return COLOR ? (text) => `\u001b[${code}m${text}\u001b[0m` : (text) => text;
}
export const bold = paint("1");
export const dim = paint("2");
export const green = paint("32");
export const red = paint("31");
export const yellow = paint("33");
export const blue = paint("34");

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 1)}\n`);
}

export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Columns padded to their widest cell; the last is not padded. Width counts what is seen, not colour codes. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, seen(cell))));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === row.length - 1 ? cell : cell + " ".repeat(widths[i]! - seen(cell)))).join("  "),
    )
    .join("\n");
}

function seen(text: string): number {
  // eslint-disable-next-line no-control-regex -- colour codes are control characters
  return text.replace(/\u001b\[\d+m/g, "").length;
}

export function age(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  return s < 86_400 ? `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m` : `${Math.floor(s / 86_400)}d`;
}

export function money(nano: number, simulated: boolean): string {
  const usd = nano / 1e9;
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}${simulated ? " sim" : ""}`;
}

export function tokens(n: number): string {
  return n >= 1e6 ? `${(n / 1e6).toFixed(2)}M` : n >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(n);
}

/** Keeps hostile text from driving the terminal: control characters become spaces. */
export function plain(text: string, max = 100): string {
  // eslint-disable-next-line no-control-regex -- exactly these are removed
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean;
}
