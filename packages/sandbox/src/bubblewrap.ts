/**
 * The command line of a bubblewrap that is a boundary, also when the caller is root. Fewer flags are none: with
 * `--unshare-all` alone root keeps every capability and can remount what is read-only.
 */
export const NOBODY = 65_534;

export interface BubblewrapOptions {
  /** Program and arguments, as seen inside. */
  readonly command: readonly string[];
  /** Path of bubblewrap outside. */
  readonly bubblewrap?: string;
  /** More paths to show read-only at the same place; those that are missing are left out. */
  readonly readOnly?: readonly string[];
  /** Folders that can be written, at another place inside. They must belong to the calling user. */
  readonly writable?: readonly { readonly outside: string; readonly inside: string }[];
  /** The whole environment inside: nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** False (default): a network namespace of its own with nothing in it. */
  readonly network?: boolean;
  /** True: the program may make user namespaces of its own, as Chromium's sandbox does. */
  readonly nested?: boolean;
}

/** Shown read-only in every sandbox: programs, libraries, fonts, the loader's cache. No home, no /var, no /run. */
const SYSTEM = ["/usr", "/etc/fonts", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"];
/** On merged systems links into /usr, on others folders of their own. */
const MERGED = ["bin", "sbin", "lib", "lib32", "lib64"] as const;

/**
 * All words of the command. `linkTarget` tells where `/bin` and its like point (`usr/bin`), undefined where it is a
 * real folder, null where it is missing.
 */
export function bubblewrapCommand(
  o: BubblewrapOptions,
  linkTarget: (path: string) => string | undefined | null,
): string[] {
  const words = [
    o.bubblewrap ?? "bwrap",
    "--unshare-user",
    "--unshare-all",
    "--uid",
    `${NOBODY}`,
    "--gid",
    `${NOBODY}`,
  ];
  words.push("--cap-drop", "ALL", "--new-session", "--die-with-parent", "--clearenv");
  if (o.network === true) words.push("--share-net");
  if (o.nested !== true) words.push("--disable-userns");
  for (const path of SYSTEM) words.push("--ro-bind-try", path, path);
  for (const name of MERGED) {
    const target = linkTarget(`/${name}`);
    if (target === null) continue;
    if (target === undefined) words.push("--ro-bind", `/${name}`, `/${name}`);
    else words.push("--symlink", target, `/${name}`);
  }
  for (const path of o.readOnly ?? []) words.push("--ro-bind-try", path, path);
  words.push("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/dev/shm");
  for (const { outside, inside } of o.writable ?? []) words.push("--bind", outside, inside);
  const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", LANG: "C.UTF-8", ...o.env };
  for (const [name, value] of Object.entries(env)) words.push("--setenv", name, value);
  words.push("--chdir", o.cwd ?? "/tmp", "--", ...o.command);
  return words;
}
