import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { bubblewrapCommand, NOBODY, type BubblewrapOptions } from "../bubblewrap.ts";
import { runChild } from "./run-child.ts";

const BUBBLEWRAP = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
const PROBE_MS = 5_000;

export type SandboxAbility =
  | { readonly sandbox: true; readonly bubblewrap: string; readonly nested: boolean }
  | { readonly sandbox: false; readonly reason: string };

/** The command for this machine's folders. */
export function sandboxed(o: BubblewrapOptions): string[] {
  return bubblewrapCommand(o, linkTarget);
}

/**
 * Whether programs can be boxed here, found by trying: inside it must be an unprivileged user without capabilities and
 * without a network interface that is up. `nested`: whether user namespaces can be made inside as well.
 */
export async function probeSandbox(): Promise<SandboxAbility> {
  const bubblewrap = BUBBLEWRAP.find((path) => existsSync(path));
  if (bubblewrap === undefined) return { sandbox: false, reason: "bubblewrap is not installed: apt-get install bubblewrap" };
  const seen = await inside(bubblewrap, ["/bin/sh", "-c", 'id -u; grep CapEff /proc/self/status; grep -c : /proc/net/dev; ls /root /home 2>/dev/null | wc -l']);
  if (!seen.ok) return { sandbox: false, reason: `bubblewrap does not work here: ${seen.text}` };
  const [uid, capabilities, interfaces] = seen.text.split("\n");
  if (uid !== `${NOBODY}`) return { sandbox: false, reason: `inside bubblewrap the user is ${uid}, not ${NOBODY}` };
  if (!/\t0{16}$/.test(capabilities ?? "")) return { sandbox: false, reason: `inside bubblewrap capabilities are left: ${capabilities}` };
  if (Number(interfaces) > 1) return { sandbox: false, reason: "inside bubblewrap the network is there" };
  const nested = await inside(bubblewrap, ["/usr/bin/unshare", "--user", "true"], true);
  return { sandbox: true, bubblewrap, nested: nested.ok };
}

async function inside(bubblewrap: string, command: readonly string[], nested = false): Promise<{ ok: boolean; text: string }> {
  const result = await runChild({ command: sandboxed({ bubblewrap, command, nested }), env: {}, timeoutMs: PROBE_MS, outputMaxBytes: 4096 });
  const ok = result.end === "exited" && result.code === 0;
  return { ok, text: ok ? result.stdout.text.trim() : `${result.stderr.text.trim() || result.end}`.slice(0, 200) };
}

function linkTarget(path: string): string | undefined | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path).replace(/^\//, "") : undefined;
  } catch {
    return null;
  }
}
