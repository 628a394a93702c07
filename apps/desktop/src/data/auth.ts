/**
 * The page is opened as `/#<code>`: the code is traded once for a token, kept in this origin's storage (never a
 * cookie: cookies ignore ports), and taken out of the address. Where localStorage is blocked, sessionStorage;
 * where both are, memory.
 */
const KEY = "swarm-token";

export type SignIn =
  | { readonly state: "signed-in"; readonly token: string }
  | { readonly state: "signed-out"; readonly reason: "no-token" | "code-refused" | "unreachable" };

let inMemory: string | undefined;

export async function signIn(location: Location, history: History): Promise<SignIn> {
  const code = codeOf(location.hash);
  if (code !== undefined) {
    history.replaceState(null, "", location.pathname + location.search);
    const exchanged = await exchange(code);
    if (exchanged.state === "signed-in") {
      keep(exchanged.token);
      return exchanged;
    }
    const kept = stored();
    return kept === undefined ? exchanged : { state: "signed-in", token: kept };
  }
  const token = stored();
  return token === undefined ? { state: "signed-out", reason: "no-token" } : { state: "signed-in", token };
}

export function forget(): void {
  inMemory = undefined;
  for (const storage of storages()) storage.removeItem(KEY);
}

/** A login code is the whole fragment; routes begin with a slash. */
function codeOf(hash: string): string | undefined {
  const code = hash.slice(1);
  return code.length >= 8 && !code.startsWith("/") ? code : undefined;
}

async function exchange(code: string): Promise<SignIn> {
  try {
    const response = await fetch("/v1/auth/exchange", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (!response.ok) return { state: "signed-out", reason: "code-refused" };
    const { token } = (await response.json()) as { token: string };
    return { state: "signed-in", token };
  } catch {
    return { state: "signed-out", reason: "unreachable" };
  }
}

function keep(token: string): void {
  inMemory = token;
  for (const storage of storages()) {
    try {
      storage.setItem(KEY, token);
      return;
    } catch {
      continue; // full or blocked: the next one
    }
  }
}

function stored(): string | undefined {
  for (const storage of storages()) {
    const token = storage.getItem(KEY);
    if (token !== null && token !== "") return token;
  }
  return inMemory;
}

function storages(): Storage[] {
  const out: Storage[] = [];
  for (const open of [() => window.localStorage, () => window.sessionStorage]) {
    try {
      out.push(open());
    } catch {
      continue; // the browser refuses storage to this page
    }
  }
  return out;
}
