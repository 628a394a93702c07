import type { JSX } from "solid-js";
import { createMemo, createSignal, For, Show } from "solid-js";
import { useDaemon } from "../data/daemon.ts";
import { money } from "../model/format.ts";
import { search } from "../model/lists.ts";
import { stateOf, type StateName } from "../model/state.ts";
import type { IconName } from "../ui/icons.ts";
import { Glyph, Icon, Kbd, Num } from "../ui/parts.tsx";
import { Dialog } from "./dialog.tsx";
import { go } from "./router.ts";

export interface Command {
  readonly icon: IconName;
  readonly title: string;
  readonly keys?: readonly string[];
  run(): void;
}
type Entry = {
  readonly section: string;
  readonly title: string;
  readonly keys: readonly string[];
  readonly note?: () => JSX.Element;
  readonly icon?: IconName;
  readonly state?: StateName;
  run(): void;
};

const SESSIONS_SHOWN = 8;

/** `Ctrl K`: sessions, actions on what is open, pages. `>` commands only, `#` sessions only. */
export function Palette(props: {
  commands: readonly Command[];
  pages: readonly Command[];
  recent: readonly string[];
  onClose: () => void;
}): JSX.Element {
  const daemon = useDaemon();
  const [query, setQuery] = createSignal("");
  const [at, setAt] = createSignal(0);
  const mode = (): ">" | "#" | "" => (query().startsWith(">") ? ">" : query().startsWith("#") ? "#" : "");
  const words = (): string => query().replace(/^[>#]/, "").trim();

  const sessions = createMemo((): readonly Entry[] => {
    if (mode() === ">") return [];
    const all = daemon.sessions();
    const found =
      words() === ""
        ? props.recent.flatMap((id) => all.find((s) => s.id === id) ?? [])
        : search(all, words()).slice(0, SESSIONS_SHOWN);
    return found.map((s) => ({
      section: words() === "" ? "Opened last" : "Sessions",
      title: s.label === undefined ? s.title : `${s.label} ${s.title}`,
      state: stateOf(s),
      keys: [],
      note: () => (
        <>
          {s.profile} · turn {s.turns} · <Num value={money(s.totals.costNano)} />
        </>
      ),
      run: () => go({ page: "session", id: s.id }),
    }));
  });
  const commands = createMemo((): readonly Entry[] => {
    if (mode() === "#") return [];
    const fits = (c: Command): boolean =>
      words()
        .toLowerCase()
        .split(/\s+/)
        .every((w) => c.title.toLowerCase().includes(w));
    const entry =
      (section: string) =>
      (c: Command): Entry => ({ section, title: c.title, icon: c.icon, keys: c.keys ?? [], run: () => c.run() });
    return [...props.commands.filter(fits).map(entry("Actions")), ...props.pages.filter(fits).map(entry("Pages"))];
  });
  const entries = createMemo(() => [...sessions(), ...commands()]);
  const chosen = (): number => Math.min(at(), Math.max(0, entries().length - 1));

  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    props.onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((chosen() + step + entries().length) % Math.max(1, entries().length));
      document.getElementById(`pal-${chosen()}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(entries()[chosen()]);
    }
  };

  return (
    <Dialog label="Command palette" class="pal" onClose={props.onClose}>
      <div class="q">
        <Icon name="search" />
        <input
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="pal-list"
          aria-activedescendant={entries().length > 0 ? `pal-${chosen()}` : undefined}
          aria-label="Search sessions, actions and pages"
          placeholder="Search or run"
          value={query()}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <span class="tag">Swarm</span>
      </div>
      <div class="list" id="pal-list" role="listbox" aria-label="Results">
        <For each={entries()} fallback={<p class="none">Nothing is named like that.</p>}>
          {(entry, i) => (
            <>
              <Show when={i() === 0 || entries()[i() - 1]?.section !== entry.section}>
                <div class="h5" role="presentation">
                  {entry.section}
                </div>
              </Show>
              <div
                class="li"
                id={`pal-${i()}`}
                role="option"
                aria-selected={i() === chosen()}
                onClick={() => run(entry)}
                onPointerMove={() => setAt(i())}
              >
                <Show when={entry.state} fallback={<Icon name={entry.icon ?? "arrow"} />}>
                  {(state) => <Glyph state={state()} label />}
                </Show>
                <span class="ell">
                  <Marked text={entry.title} words={words()} />
                </span>
                <span class="h">
                  {entry.note?.()}
                  <Kbd keys={entry.keys} />
                </span>
              </div>
            </>
          )}
        </For>
      </div>
      <footer>
        <span>
          <Kbd keys={["↑", "↓"]} /> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>&gt;</kbd> commands only
        </span>
        <span>
          <kbd>#</kbd> sessions only
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </footer>
    </Dialog>
  );
}

function Marked(props: { text: string; words: string }): JSX.Element {
  const pieces = createMemo(() => {
    const word = props.words.split(/\s+/)[0] ?? "";
    const at = word === "" ? -1 : props.text.toLowerCase().indexOf(word.toLowerCase());
    return at < 0
      ? undefined
      : [props.text.slice(0, at), props.text.slice(at, at + word.length), props.text.slice(at + word.length)];
  });
  return (
    <Show when={pieces()} fallback={<>{props.text}</>}>
      {(p) => (
        <>
          {p()[0]}
          <mark>{p()[1]}</mark>
          {p()[2]}
        </>
      )}
    </Show>
  );
}
