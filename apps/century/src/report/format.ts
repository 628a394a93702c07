/** How figures are printed, everywhere in the report: a missing one is the word "blank", never a zero. */
export const BLANK = "blank";

export function fixed(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined) return BLANK;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function mib(value: number | null | undefined): string {
  return fixed(value, value !== null && value !== undefined && value < 10 ? 2 : 1);
}

export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? BLANK : `${(100 * share).toFixed(1)} %`;
}

/** Three decimals under a dollar, two above. */
export function usd(value: number | null | undefined): string {
  if (value === null || value === undefined) return BLANK;
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return BLANK;
  return value < 120
    ? `${value.toFixed(1)} s`
    : `${Math.floor(value / 60)} m ${String(Math.round(value % 60)).padStart(2, "0")} s`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
}
