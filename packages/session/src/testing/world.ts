import { openJournal, type Journal } from "@swarm/journal";
import { MemoryStore, type KvWrite } from "@swarm/kv";
import type { AnyRecord, SessionSummary } from "@swarm/protocol";
import type {
  ModelRequest,
  StreamPart,
  ToolContext,
  ToolDeclaration,
  ToolOutcome,
  ToolRunner,
} from "@swarm/protocol/ports";
import { ScriptedModel, type ScriptedAnswer } from "@swarm/testkit";
import { AppError, silentLogger, systemClock, type Clock, type Logger } from "@swarm/std";
import {
  openSessionHost,
  sessionKinds,
  sessionProjections,
  type SessionHost,
  type SessionHostOptions,
} from "../index.ts";

/** `step`: 1 for the first answer of the conversation. A request that is repeated gets the same answer. */
export type Script = (request: ModelRequest, step: number) => ScriptedAnswer;

/** Turns of the loop, so that others can run in between. */
export async function turns(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A scripted model that says how many of its streams are open. */
class WatchedModel extends ScriptedModel {
  open = 0;

  constructor(script: Script) {
    super((request) => script(request, request.messages.filter((m) => m.role === "assistant").length + 1));
  }
  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly StreamPart[]> {
    this.open++;
    try {
      yield* super.stream(request, signal);
    } finally {
      this.open--;
    }
  }
}

export type Effect = (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<string> | string;

const declaration = (name: string, idempotent: boolean): ToolDeclaration => ({
  name,
  description: name,
  parameters: { type: "object" },
  effect: "execute",
  idempotent,
  timeoutMs: 60_000,
});

/** Tools by name; `ask_user` and those named `idem_…` may be repeated. */
export function scriptedTools(effects: Readonly<Record<string, Effect>>): ToolRunner {
  return {
    list: () =>
      Object.keys(effects)
        .toSorted()
        .map((name) => declaration(name, name === "ask_user" || name.startsWith("idem_"))),
    async run(name, rawArgs, context): Promise<ToolOutcome> {
      const output = await effects[name]!(JSON.parse(rawArgs) as Record<string, unknown>, context);
      return { ok: true, summary: `${name} done`, output, repaired: [], truncated: false };
    },
  };
}

/**
 * A memory store whose process can be killed: from then on nothing of it is written and nobody is answered. The batch
 * it dies in is lost whole, or written whole without an answer.
 */
export class KillableStore extends MemoryStore {
  readonly #written: KvWrite[] = [];
  readonly #death = Promise.withResolvers<void>();
  #dead = false;
  #left = Infinity;
  #lastApplied = false;

  get dead(): boolean {
    return this.#dead;
  }
  /** Resolves when it dies. */
  get death(): Promise<void> {
    return this.#death.promise;
  }
  kill(): void {
    this.#dead = true;
    this.#death.resolve();
  }
  /** Dies in a batch to come: the first is 0. */
  killAt(batch: number, applied: boolean): void {
    this.#left = batch;
    this.#lastApplied = applied;
  }
  /** What the next process finds. */
  successor(): KillableStore {
    const next = new KillableStore();
    for (const write of this.#written) void next.batch([write], { sync: true });
    return next;
  }
  override async batch(writes: readonly KvWrite[], options: { readonly sync: boolean }): Promise<void> {
    const last = !this.#dead && this.#left-- <= 0;
    if (last) this.kill();
    if (!this.#dead || (last && this.#lastApplied)) {
      this.#written.push(...writes);
      await super.batch(writes, options);
    }
    if (this.#dead) await new Promise(() => {});
  }
}

export interface World {
  readonly journal: Journal;
  readonly host: SessionHost;
  readonly model: WatchedModel;
  readonly store: KillableStore;
  records(session: string): Promise<AnyRecord[]>;
  /** Resolves when the session's summary is as wanted. */
  until(session: string, wanted: (summary: SessionSummary) => boolean): Promise<SessionSummary>;
  ended(session: string): Promise<SessionSummary>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface WorldOptions {
  readonly script: Script;
  readonly effects?: Readonly<Record<string, Effect>>;
  readonly store?: KillableStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly host?: Partial<SessionHostOptions>;
  /** Not started: nothing is taken up. */
  readonly idle?: boolean;
}

/** A whole host on a real journal in memory. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { script, effects = {}, store = new KillableStore(), clock = systemClock, logger = silentLogger } = options;
  const journal = await openJournal({
    home: "memory",
    kinds: sessionKinds,
    projections: sessionProjections,
    clock,
    logger,
    store,
  });
  const model = new WatchedModel(script);
  const host: SessionHost = await openSessionHost({
    journal,
    models: {
      resolve(id) {
        if (id === "none/here") throw new AppError("model_unknown", `there is no model ${id}`);
        return model;
      },
    },
    tools: () =>
      scriptedTools({
        ask_user: (args, context) => host.ask(context, { text: String(args["question"]), options: [] }),
        ...effects,
      }),
    clock,
    logger,
    limits: {},
    defaultModel: model.id,
    ...options.host,
  });
  if (options.idle !== true) await host.start();
  const until: World["until"] = (session, wanted) => {
    const { promise, resolve } = Promise.withResolvers<SessionSummary>();
    const undo = host.onSummary((s) => s.id === session && wanted(s) && resolve(s));
    void host.summary(session).then((s) => s !== undefined && wanted(s) && resolve(s));
    return promise.finally(undo);
  };
  return {
    journal,
    host,
    model,
    store,
    records: (session) => journal.records(session, { limit: 10_000 }),
    until,
    ended: (session) => until(session, (s) => s.phase === "ended"),
    async [Symbol.asyncDispose]() {
      if (store.dead) return;
      await host[Symbol.asyncDispose]();
      await journal.close();
    },
  };
}

/** A task for the profile that is delivered with a text. */
export function answerTask(task: string, more: object = {}): { task: string; profile: string } {
  return { task, profile: "assistant", ...more };
}
