import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { bubblewrapCommand, NOBODY, type BubblewrapOptions } from "../bubblewrap.ts";
import { runChild } from "./run-child.ts";

const BUBBLEWRAP = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
const PROBE_MS = 5_000;
const SETPRIV = "/usr/bin/setpriv";
const DROP = [SETPRIV, "--reuid", `${NOBODY}`, "--regid", `${NOBODY}`, "--clear-groups", "--no-new-privs", "--"];

export type SandboxAbility =
  | {
      readonly sandbox: true;
      readonly bubblewrap: string;
      /** User namespaces can be made inside as well. */
      readonly nested: boolean;
      /** The caller is root and the box can be made by an unprivileged user all the same. */
      readonly unprivileged: boolean;
    }
  | { readonly sandbox: false; readonly reason: string };

/**
 * The command for this machine's folders. `unprivileged`: root becomes an unprivileged user before the box is made, so
 * that the program is not root on the outside either; nothing that belongs to root can then be granted.
 */
export function sandboxed(o: BubblewrapOptions & { readonly unprivileged?: boolean }): string[] {
  const words = bubblewrapCommand(o, linkTarget);
  return o.unprivileged === true ? [...DROP, ...words] : words;
}

/**
 * Whether programs can be boxed here, found by trying: inside it must be an unprivileged user without capabilities and
 * without a network interface that is up. `nested`: whether user namespaces can be made inside as well.
 */
export async function probeSandbox(): Promise<SandboxAbility> {
  const bubblewrap = BUBBLEWRAP.find((path) => existsSync(path));
  if (bubblewrap === undefined)
    return { sandbox: false, reason: "bubblewrap is not installed: apt-get install bubblewrap" };
  const root = process.getuid?.() === 0 && existsSync(SETPRIV);
  const look = ["/bin/sh", "-c", "id -u; grep CapEff /proc/self/status; grep -c : /proc/net/dev"];
  let seen = await inside({ bubblewrap, command: look, unprivileged: root });
  const unprivileged = root && seen.ok;
  if (root && !seen.ok) seen = await inside({ bubblewrap, command: look });
  if (!seen.ok) return { sandbox: false, reason: `bubblewrap does not work here: ${seen.text}` };
  const [uid, capabilities, interfaces] = seen.text.split("\n");
  if (uid !== `${NOBODY}`) return { sandbox: false, reason: `inside bubblewrap the user is ${uid}, not ${NOBODY}` };
  if (!/\t0{16}$/.test(capabilities ?? ""))
    return { sandbox: false, reason: `inside bubblewrap capabilities are left: ${capabilities}` };
  if (Number(interfaces) > 1) return { sandbox: false, reason: "inside bubblewrap the network is there" };
  const nested = await inside({
    bubblewrap,
    command: ["/usr/bin/unshare", "--user", "true"],
    nested: true,
    unprivileged,
  });
  return { sandbox: true, bubblewrap, nested: nested.ok, unprivileged };
}

async function inside(o: BubblewrapOptions & { unprivileged?: boolean }): Promise<{ ok: boolean; text: string }> {
  const result = await runChild({ command: sandboxed(o), env: {}, timeoutMs: PROBE_MS, outputMaxBytes: 4096 });
  const ok = result.end === "exited" && result.code === 0;
  return { ok, text: ok ? result.stdout.text.trim() : (result.stderr.text.trim() || result.end).slice(0, 200) };
}

function linkTarget(path: string): string | undefined | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path).replace(/^\//, "") : undefined;
  } catch {
    return null;
  }
}
