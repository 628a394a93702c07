/**
 * What a URL in a document would load, judged as the browser reads it: white space and control signs stripped,
 * backslashes are slashes, the scheme in any case. A document has no base, so a relative address is a missing file.
 */
export type UrlKind = "local" | "external" | "file" | "script";

export function urlKind(raw: string): UrlKind {
  const url = raw
    .replace(/[\t\n\r]/g, "")
    .replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, "")
    .replaceAll("\\", "/");
  if (url === "" || url.startsWith("#")) return "local";
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return url.startsWith("//") ? "external" : "file";
  if (scheme === "data" || scheme === "blob") return "local";
  if (scheme === "about") return "local";
  if (scheme === "javascript") return "script";
  return "external";
}

/** The addresses of a `srcset`: a URL, an optional descriptor, a comma. Data URLs hold commas of their own. */
export function srcsetUrls(value: string): string[] {
  const urls: string[] = [];
  let rest = value;
  while ((rest = rest.replace(/^[\s,]+/, "")) !== "") {
    const url = /^\S+/.exec(rest)![0];
    rest = rest.slice(url.length);
    urls.push(url.replace(/,+$/, ""));
    if (!url.endsWith(",")) rest = rest.replace(/^[^,]*/, "");
  }
  return urls;
}
