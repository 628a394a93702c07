import type { JSX } from "solid-js";
import { createEffect, createMemo, createSignal, Match, Show, Switch } from "solid-js";
import { useDaemon } from "./data/daemon.ts";
import { recall, remember } from "./data/remember.ts";
import { stateOf } from "./model/state.ts";
import { ArtifactsPage } from "./pages/artifacts/page.tsx";
import { InboxPage } from "./pages/inbox/page.tsx";
import { SessionPage } from "./pages/session/page.tsx";
import { NewRun } from "./pages/swarm/new-run.tsx";
import { SwarmPage } from "./pages/swarm/page.tsx";
import { derive } from "./shell/derived.ts";
import { bindKeys } from "./shell/keys.ts";
import { KeysSheet } from "./shell/keys-sheet.tsx";
import { Palette, type Command } from "./shell/palette.tsx";
import { go, route, type Route } from "./shell/router.ts";
import { Side, Tabs } from "./shell/side.tsx";
import { SignInPage } from "./shell/sign-in.tsx";
import { StatusBar } from "./shell/status.tsx";
import { toggleTheme } from "./shell/theme.ts";
import { GLYPHS } from "./ui/glyphs.ts";
import { Toasts } from "./ui/toasts.tsx";

const RECENT_MAX = 5;

/** The shell: side, page, status; what is above all pages (palette, dialogs, messages) and the keys that work everywhere. */
export function App(): JSX.Element {
  const daemon = useDaemon();
  const derived = derive(daemon);
  const [layer, setLayer] = createSignal<"palette" | "keys" | "new-run" | undefined>(undefined);
  const [rail, setRail] = createSignal(recall("rail") === "yes");
  const [recent, setRecent] = createSignal<readonly string[]>((recall("recent") ?? "").split(" ").filter(Boolean));
  const close = (): void => setLayer(undefined);
  const fold = (): void => {
    setRail(!rail());
    remember("rail", rail() ? "yes" : "no");
  };
  const nextForMe = (): void => {
    const list = derived.waiting();
    const r = route();
    const at = r.page === "session" ? list.findIndex((s) => s.id === r.id) : -1;
    const next = list[(at + 1) % Math.max(1, list.length)];
    if (next) go({ page: "session", id: next.id });
  };
  const pages: readonly Command[] = [
    { icon: "swarm", title: "Swarm", keys: ["G", "S"], run: () => go({ page: "swarm", filter: "all" }) },
    { icon: "inbox", title: "Inbox", keys: ["G", "I"], run: () => go({ page: "inbox" }) },
    { icon: "artifacts", title: "Artifacts", keys: ["G", "A"], run: () => go({ page: "artifacts" }) },
  ];
  const commands: readonly Command[] = [
    { icon: "plus", title: "New run", keys: ["N"], run: () => setLayer("new-run") },
    { icon: "question", title: "Next that needs you", keys: ["."], run: nextForMe },
    { icon: "sun", title: "Theme: dark or light", keys: ["T"], run: toggleTheme },
    { icon: "side", title: "Fold the side bar", keys: ["["], run: fold },
    { icon: "keyboard", title: "Keys", keys: ["?"], run: () => setLayer("keys") },
  ];
  bindKeys("Everywhere", [
    { keys: "Ctrl k", label: "Search or run", run: () => setLayer(layer() === "palette" ? undefined : "palette") },
    { keys: "n", label: "New run", run: () => setLayer("new-run") },
    { keys: ".", label: "Next that needs you", run: nextForMe },
    { keys: "g s", label: "Swarm", run: () => go({ page: "swarm", filter: "all" }) },
    { keys: "g i", label: "Inbox", run: () => go({ page: "inbox" }) },
    { keys: "g a", label: "Artifacts", run: () => go({ page: "artifacts" }) },
    { keys: "t", label: "Dark or light", run: toggleTheme },
    { keys: "[", label: "Fold the side bar", run: fold },
    { keys: "?", label: "Keys", run: () => setLayer("keys") },
  ]);
  createEffect(() => {
    const r = route();
    if (r.page !== "session") return;
    setRecent((now) => [r.id, ...now.filter((id) => id !== r.id)].slice(0, RECENT_MAX));
    remember("recent", recent().join(" "));
  });
  createEffect(() => {
    const r = route();
    const name =
      r.page === "session"
        ? (daemon.session(r.id)?.title ?? "Session")
        : r.page === "inbox"
          ? "Inbox"
          : r.page === "artifacts"
            ? "Artifacts"
            : (r.group ?? "Swarm");
    const mine = derived.waiting().length;
    document.title = `${mine > 0 && daemon.staleSince() === undefined ? `(${mine}) ` : ""}${name === "Swarm" ? "Swarm" : `${name} · Swarm`}`;
  });
  const swarm = createMemo(() => {
    const r = route();
    return r.page === "swarm" ? r : undefined;
  });
  const sessionId = createMemo(() => {
    const r = route();
    return r.page === "session" ? r.id : undefined;
  });

  return (
    <Show when={daemon.link() !== "refused"} fallback={<SignInPage reason="refused" />}>
      <a class="skip" href="#main" onClick={skipToPage}>
        Skip to the page
      </a>
      <div class="app" classList={{ rail: rail(), stale: daemon.staleSince() !== undefined }}>
        <Side derived={derived} onPalette={() => setLayer("palette")} onFold={fold} />
        <Switch>
          <Match when={swarm()}>
            {(r) => (
              <SwarmPage
                route={r()}
                derived={derived}
                onNewRun={() => setLayer("new-run")}
                onKeys={() => setLayer("keys")}
              />
            )}
          </Match>
          <Match when={sessionId()}>{(id) => <SessionPage id={id()} />}</Match>
          <Match when={route().page === "inbox"}>
            <InboxPage derived={derived} />
          </Match>
          <Match when={route().page === "artifacts"}>
            <ArtifactsPage id={(route() as Route & { page: "artifacts" }).id} />
          </Match>
        </Switch>
        <StatusBar />
        <Tabs derived={derived} onPalette={() => setLayer("palette")} />
      </div>
      <Show when={layer() === "palette"}>
        <Palette commands={commands} pages={pages} recent={recent()} onClose={close} />
      </Show>
      <Show when={layer() === "keys"}>
        <KeysSheet onClose={close} />
      </Show>
      <Show when={layer() === "new-run"}>
        <NewRun onClose={close} />
      </Show>
      <Toasts />
      <Announcer />
    </Show>
  );
}

/** The hash is the route, so the skip link moves the focus itself. */
function skipToPage(event: MouseEvent): void {
  event.preventDefault();
  const main = document.getElementById("main");
  main?.setAttribute("tabindex", "-1");
  main?.focus();
}

const ANNOUNCE_EVERY_MS = 5000;

/** Says new questions aloud, at most one per five seconds; a polite line says how the open session ended. */
function Announcer(): JSX.Element {
  const daemon = useDaemon();
  const [words, setWords] = createSignal("");
  const [ended, setEnded] = createSignal("");
  let known: ReadonlySet<string> | undefined;
  let last = 0;
  createEffect(() => {
    const asked = daemon.sessions().filter((s) => s.question !== undefined);
    const fresh = known === undefined ? undefined : asked.find((s) => !known?.has(s.question?.id ?? ""));
    if (daemon.loaded()) known = new Set(asked.map((s) => s.question?.id ?? ""));
    if (fresh === undefined || performance.now() - last < ANNOUNCE_EVERY_MS) return;
    last = performance.now();
    setWords(`${fresh.title} asks: ${fresh.question?.text ?? ""}`);
  });
  createEffect<string>((before) => {
    const r = route();
    const s = r.page === "session" ? daemon.session(r.id) : undefined;
    const now = s ? `${s.id} ${s.phase} ${s.turns}` : "";
    if (s && before !== "" && before !== now && before.startsWith(s.id))
      setEnded(s.phase === "ended" ? `${s.title}: ${GLYPHS[stateOf(s)].label}` : `Turn ${s.turns}`);
    return now;
  }, "");
  return (
    <>
      <div class="vh" aria-live="assertive">
        {words()}
      </div>
      <div class="vh" aria-live="polite">
        {ended()}
      </div>
    </>
  );
}
