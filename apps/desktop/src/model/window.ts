/** Windowing: rows of known height, of which only those on screen (and a margin) are drawn. Pixels. */
export interface Row<T> {
  readonly height: number;
  readonly item: T;
}

export interface Layout<T> {
  readonly rows: readonly Row<T>[];
  /** `tops[i]` is the top of row i; one more entry at the end: the whole height. */
  readonly tops: readonly number[];
}

export function layoutOf<T>(rows: readonly Row<T>[]): Layout<T> {
  const tops = [0];
  let top = 0;
  for (const row of rows) tops.push((top += row.height));
  return { rows, tops };
}

/** First row that ends below `y`. */
export function rowAt(layout: Layout<unknown>, y: number): number {
  let low = 0;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.tops[middle + 1] ?? 0) <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows [first, end) that touch the view from `top` over `height`, with `margin` above and below. */
export function visibleRows(
  layout: Layout<unknown>,
  top: number,
  height: number,
  margin: number,
): { first: number; end: number } {
  const first = rowAt(layout, Math.max(0, top - margin));
  const last = rowAt(layout, top + height + margin);
  return { first, end: Math.min(layout.rows.length, last + 1) };
}

export const CARD_MIN_PX = 186;
export const CARD_GAP_PX = 10;
/** Text block under the preview: three lines of 17, two gaps, padding. */
export const CARD_TEXT_PX = 68;

/** Columns and height of equal cards in `width` pixels. */
export function cardGrid(
  width: number,
  minPx: number,
  gapPx: number,
  textPx: number,
): { columns: number; cardHeight: number } {
  const columns = Math.max(1, Math.floor((width + gapPx) / (minPx + gapPx)));
  const card = (width - gapPx * (columns - 1)) / columns;
  return { columns, cardHeight: Math.round(((card - 2) * 9) / 16) + 1 + textPx };
}

export function chunk<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const out: T[][] = [];
  for (let i = 0; i < items.length; i += size) out.push(items.slice(i, i + size));
  return out;
}
