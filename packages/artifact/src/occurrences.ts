/** Above this product of lengths the engine's own search may take minutes on a text made for it. */
const PLAIN_SEARCH_MAX = 10_000_000;

/** How often `find` occurs in `text`, overlapping places counted, and where first (-1: nowhere). Linear in the worst case. */
export function occurrencesOf(text: string, find: string): { readonly count: number; readonly first: number } {
  if (find === "" || find.length > text.length) return { count: 0, first: -1 };
  return text.length * find.length <= PLAIN_SEARCH_MAX ? plain(text, find) : knuthMorrisPratt(text, find);
}

function plain(text: string, find: string): { count: number; first: number } {
  const first = text.indexOf(find);
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(find, at + 1)) count++;
  return { count, first };
}

function knuthMorrisPratt(text: string, find: string): { count: number; first: number } {
  const borders = new Int32Array(find.length);
  for (let i = 1, k = 0; i < find.length; i++) {
    while (k > 0 && find.charCodeAt(i) !== find.charCodeAt(k)) k = borders[k - 1]!;
    if (find.charCodeAt(i) === find.charCodeAt(k)) k++;
    borders[i] = k;
  }
  let count = 0;
  let first = -1;
  for (let i = 0, k = 0; i < text.length; i++) {
    while (k > 0 && text.charCodeAt(i) !== find.charCodeAt(k)) k = borders[k - 1]!;
    if (text.charCodeAt(i) === find.charCodeAt(k)) k++;
    if (k < find.length) continue;
    if (count === 0) first = i - find.length + 1;
    count++;
    k = borders[k - 1]!;
  }
  return { count, first };
}
