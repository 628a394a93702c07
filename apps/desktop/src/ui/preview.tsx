import type { SessionSummary } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { useDaemon } from "../data/daemon.ts";
import { endedBadly, isEnded, stateOf } from "../model/state.ts";

/** A still by hash, held while on screen. */
export function Still(props: { hash: string }): JSX.Element {
  const daemon = useDaemon();
  const [url, setUrl] = createSignal<string | undefined>(daemon.stills.peek(props.hash));
  createEffect(
    on(
      () => props.hash,
      (hash) => {
        let gone = false;
        void daemon.stills.hold(hash).then((made) => !gone && setUrl(made));
        onCleanup(() => {
          gone = true;
          daemon.stills.release(hash);
        });
      },
    ),
  );
  return <Show when={url()}>{(src) => <img src={src()} alt="" draggable={false} />}</Show>;
}

/** The smallest size that artifacts are checked at: in a smaller place they are drawn at this size and shrunk. */
const SMALLEST = { width: 640, height: 400 } as const;

/** An artifact that runs, in a sandbox of its own origin. Gives its place back when it is taken away or unmounted. */
export function LiveFrame(props: {
  artifact: string;
  revision?: number | undefined;
  title: string;
  pinned: boolean;
  inert?: boolean;
  onEvict?: () => void;
}): JSX.Element {
  const daemon = useDaemon();
  const [url, setUrl] = createSignal<string | undefined>(undefined);
  createEffect(
    on([() => props.artifact, () => props.revision], ([artifact, revision]) => {
      let gone = false;
      const place = daemon.frames.open(artifact, revision, { pinned: props.pinned, evict: () => props.onEvict?.() });
      void place.url.then((made) => !gone && setUrl(made));
      onCleanup(() => {
        gone = true;
        place.close();
      });
    }),
  );
  return (
    <Show when={url()} keyed>
      {(src) => (
        <iframe
          ref={(frame) => fitFrame(frame, props.inert === true)}
          src={src}
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          title={props.title}
          tabindex={props.inert === true ? -1 : 0}
          aria-hidden={props.inert === true ? "true" : undefined}
        />
      )}
    </Show>
  );
}

/** `asStill`: the same cut as a still, so that nothing jumps when a card begins to run. */
function fitFrame(frame: HTMLIFrameElement, asStill: boolean): void {
  onMount(() => {
    const place = frame.parentElement;
    if (place === null) return;
    const fit = (): void => {
      const { clientWidth: width, clientHeight: height } = place;
      const scale = width / SMALLEST.width;
      const small = width > 0 && scale < 1;
      frame.style.width = small ? `${SMALLEST.width}px` : "100%";
      frame.style.height = small ? `${asStill ? SMALLEST.height : Math.round(height / scale)}px` : "100%";
      frame.style.transformOrigin = "0 0";
      frame.style.transform = small ? `scale(${scale})` : "none";
    };
    const watch = new ResizeObserver(fit);
    watch.observe(place);
    fit();
    onCleanup(() => watch.disconnect());
  });
}

/** What a session looks like: its still, the code it writes, or one sentence. `live`: the artifact runs. */
export function Preview(props: { session: SessionSummary; live: boolean; onEvict: () => void }): JSX.Element {
  const state = () => stateOf(props.session);
  const still = () => props.session.artifact?.still;
  const note = (): string | undefined => noteOf(props.session);
  return (
    <div
      class="pv"
      classList={{ none: still() === undefined && !props.live, dim: endedBadly(state()) || state() === "cancelled" }}
      aria-hidden="true"
    >
      <Switch>
        <Match when={still()}>{(hash) => <Still hash={hash()} />}</Match>
        <Match when={note()}>{(text) => <p class="note">{text()}</p>}</Match>
        <Match when={true}>
          <Skeleton id={props.session.id} />
        </Match>
      </Switch>
      <Show when={props.live ? props.session.artifact?.id : undefined}>
        {(id) => <LiveFrame artifact={id()} title={props.session.title} pinned={false} inert onEvict={props.onEvict} />}
      </Show>
      <Show when={props.session.artifact}>{(a) => <span class="rev">r{a().revision}</span>}</Show>
    </div>
  );
}

function noteOf(session: SessionSummary): string | undefined {
  if (session.phase === "idle") return "No preview yet. Not started.";
  if (session.phase === "queued") return "No preview yet. In line.";
  if (!isEnded(session)) return undefined;
  if (session.artifact === undefined) return "Ended without an artifact.";
  return session.artifact.verdict === "static_only"
    ? "No still: the runtime check was not run."
    : "No still was taken.";
}

/** Lines of code in the writing: form from the id, so that it never moves by itself. */
function Skeleton(props: { id: string }): JSX.Element {
  const lines = (): { width: number; indent: number; accent: boolean }[] => {
    let seed = 7;
    for (const c of props.id) seed = (seed * 31 + c.charCodeAt(0)) >>> 0;
    const next = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296;
    const n = 5 + Math.floor(next() * 3);
    return Array.from({ length: n }, (_, i) => ({
      indent: i === 0 || i === n - 1 ? 0 : Math.floor(next() * 3) * 8,
      width: 26 + Math.floor(next() * 48),
      accent: next() > 0.66,
    }));
  };
  return (
    <div class="code">
      <For each={lines()}>
        {(l) => <i classList={{ k: l.accent }} style={{ width: `${l.width}%`, "margin-left": `${l.indent}px` }} />}
      </For>
      <i class="c" />
    </div>
  );
}

/** A still that is fetched when it comes near the view and let go when it leaves. */
export function LazyStill(props: { hash: string }): JSX.Element {
  const [near, setNear] = createSignal(false);
  let box!: HTMLSpanElement;
  onMount(() => {
    const watch = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      rootMargin: "300px",
    });
    watch.observe(box);
    onCleanup(() => watch.disconnect());
  });
  return (
    <span ref={(element) => (box = element)} class="lazy">
      <Show when={near()}>
        <Still hash={props.hash} />
      </Show>
    </span>
  );
}
