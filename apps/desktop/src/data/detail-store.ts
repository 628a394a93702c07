import type { AnyRecord, LiveText } from "@swarm/protocol";
import { batch, createSignal, type Accessor } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import { EMPTY_DETAIL, reduceDetail, type Detail } from "../model/detail.ts";
import { applyLive, liveKey } from "../model/live.ts";
import type { Daemon } from "./daemon.ts";

export interface DetailStore {
  readonly view: Detail;
  readonly records: Accessor<readonly AnyRecord[]>;
  readonly loaded: Accessor<boolean>;
  /** Text of a stream so far; follows it. */
  live(run: string, step: number, stream: string): string | undefined;
  /** Raw streams so far; a new map after each change. */
  readonly liveTexts: Accessor<ReadonlyMap<string, string>>;
  close(): void;
}

/** One session, followed: records folded once each, streamed text beside them, one repaint per animation frame. */
export function followSession(daemon: Daemon, session: string): DetailStore {
  const [view, setView] = createStore<Detail>(structuredClone(EMPTY_DETAIL));
  const [records, setRecords] = createSignal<readonly AnyRecord[]>([]);
  const [loaded, setLoaded] = createSignal(false);
  const [liveTexts, setLiveTexts] = createSignal<ReadonlyMap<string, string>>(new Map());
  let all: AnyRecord[] = [];
  let state = EMPTY_DETAIL;
  const texts = new Map<string, string>();
  let dirtyRecords = false;
  let dirtyTexts = false;
  let isLoaded = false;
  let scheduled = 0;

  // The store writes into the objects it is given, so it gets copies: one per item and change.
  const copies = new WeakMap<object, unknown>();
  function copy<T extends object>(value: T): T {
    if (!copies.has(value)) copies.set(value, structuredClone(value));
    return copies.get(value) as T;
  }
  function own(now: Detail): Detail {
    const { items, plan, artifact, ...rest } = now;
    return {
      ...structuredClone(rest),
      items: items.map(copy),
      ...(plan === undefined ? {} : { plan: copy(plan) }),
      ...(artifact === undefined ? {} : { artifact: copy(artifact) }),
    };
  }

  function take(record: AnyRecord): void {
    if (record.rev <= state.rev) return;
    all.push(record);
    state = reduceDetail(state, record);
    dirtyRecords = true;
    if (record.kind === "step.finished" || record.kind === "step.failed" || record.kind === "turn.interrupted") {
      const prefix = liveKey(record.payload.run, record.payload.step, "args:");
      for (const key of texts.keys()) if (key.startsWith(prefix)) dirtyTexts = texts.delete(key) || dirtyTexts;
    }
  }
  function takeLive(live: LiveText): void {
    dirtyTexts = applyLive(texts, live) || dirtyTexts;
  }
  function flush(): void {
    scheduled = 0;
    batch(() => {
      if (dirtyRecords) {
        setView(reconcile(own(state), { key: "key" }));
        setRecords([...all]);
      }
      if (dirtyTexts) setLiveTexts(new Map(texts));
      if (isLoaded) setLoaded(true);
    });
    dirtyRecords = dirtyTexts = false;
  }
  function schedule(): void {
    scheduled ||= requestAnimationFrame(flush);
  }

  const unfollow = daemon.follow(session, {
    snapshot(whole) {
      if ((whole.records[0]?.rev ?? 1) === 1) {
        all = [];
        state = EMPTY_DETAIL;
      }
      for (const record of whole.records) take(record);
      for (const live of whole.live) takeLive(live);
      isLoaded = true;
      schedule();
    },
    record(record) {
      take(record);
      schedule();
    },
    live(live) {
      takeLive(live);
      schedule();
    },
  });

  return {
    view,
    records,
    loaded,
    liveTexts,
    live: (run, step, stream) => liveTexts().get(liveKey(run, step, stream)),
    close() {
      unfollow();
      cancelAnimationFrame(scheduled);
    },
  };
}
