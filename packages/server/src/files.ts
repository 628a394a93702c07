import { createReadStream, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".json": "application/json",
  ".map": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Swarm</title><p>The desktop was not built. Run <code>npm run swarm up</code>, which builds it.</p></html>`;

/** A file of the desktop, or its page for any other path. Nothing outside the folder, whatever the path says. */
export function serveFile(
  dir: string | undefined,
  path: string,
  headers: Record<string, string>,
  response: ServerResponse,
): void {
  const file = dir === undefined ? undefined : resolveFile(dir, path);
  if (file === undefined) {
    response.writeHead(dir === undefined ? 503 : 404, { ...headers, "content-type": "text/html; charset=utf-8" });
    response.end(
      dir === undefined ? NOT_BUILT : "<!doctype html><title>Not found</title><p>There is no such file.</p>",
    );
    return;
  }
  const hashed = file.startsWith(join(dir!, "assets", sep));
  response.writeHead(200, {
    ...headers,
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
  createReadStream(file)
    .on("error", () => response.destroy())
    .pipe(response);
}

function resolveFile(dir: string, path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (decoded.includes("\0")) return undefined;
  const file = normalize(join(dir, decoded));
  if (file !== normalize(dir) && !file.startsWith(normalize(dir + sep))) return undefined;
  if (isFile(file)) return file;
  const index = join(dir, "index.html");
  return extname(decoded) === "" && isFile(index) ? index : undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
