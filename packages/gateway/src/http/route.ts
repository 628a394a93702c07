import { BlockList, isIP } from "node:net";

/** Which proxy a request takes: `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, none for loopback and what `NO_PROXY` names. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Proxy variables for one origin; undefined: direct. */
export function proxyFor(url: URL, env: Env): { HTTP_PROXY?: string; HTTPS_PROXY?: string } | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (
    isLoopback(host) ||
    isExempt(host, url.port || (url.protocol === "https:" ? "443" : "80"), env["NO_PROXY"] ?? env["no_proxy"] ?? "")
  )
    return undefined;
  const proxy =
    url.protocol === "https:" ? (env["HTTPS_PROXY"] ?? env["https_proxy"]) : (env["HTTP_PROXY"] ?? env["http_proxy"]);
  if (proxy === undefined || proxy === "") return undefined;
  return url.protocol === "https:" ? { HTTPS_PROXY: proxy } : { HTTP_PROXY: proxy };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || host.startsWith("127.");
}

/** `*`, a host, a suffix (`.example.com`, `*.example.com`, `example.com`), an address, a CIDR block; each with an optional port. */
function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return inBlock(host, entry);
      const [, name, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (name === undefined || name === "" || (entryPort !== undefined && entryPort !== port))
        return isIP(host) === 6 && entry.toLowerCase() === host;
      const suffix = name.replace(/^\*?\./, "");
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}

function inBlock(host: string, entry: string): boolean {
  const family = isIP(host);
  const [network, bits] = entry.split("/");
  if (family === 0 || network === undefined || isIP(network) !== family) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  const prefix = Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > (family === 4 ? 32 : 128)) return false;
  block.addSubnet(network, prefix, type);
  return block.check(host, type);
}
