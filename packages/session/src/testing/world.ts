import { openJournal, type Journal } from "@swarm/journal";
import { MemoryStore, type KvWrite } from "@swarm/kv";
import type { AnyRecord, Cost, SessionSummary } from "@swarm/protocol";
import type {
  LanguageModel,
  ModelRequest,
  StreamPart,
  ToolContext,
  ToolDeclaration,
  ToolOutcome,
  ToolRunner,
} from "@swarm/protocol/ports";
import { AppError, silentLogger, systemClock, type Clock, type Logger } from "@swarm/std";
import {
  openSessionHost,
  sessionKinds,
  sessionProjections,
  type SessionHost,
  type SessionHostOptions,
} from "../index.ts";

const COST: Cost = {
  inputNano: 10,
  cachedNano: 0,
  outputNano: 20,
  totalNano: 30,
  catalogue: "none",
  pricedAs: "scripted",
  simulated: true,
};

/** One answer of a scripted model. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object; readonly id?: string }[];
  /** Streams its text, then waits until the signal aborts. */
  readonly hang?: boolean;
}
/** `step`: 1 for the run's first request. Derived from the conversation: a repeated request gets the same answer. */
export type Script = (request: ModelRequest, step: number) => Answer | Promise<Answer>;

/** Turns of the loop, so that others can run in between. */
export async function turns(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

export class ScriptedModel implements LanguageModel {
  readonly id = "scripted/one";
  readonly requests: ModelRequest[] = [];
  open = 0;
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly StreamPart[]> {
    signal.throwIfAborted();
    this.requests.push(request);
    this.open++;
    try {
      const step = request.messages.filter((m) => m.role === "assistant").length + 1;
      const { text = "", calls = [], hang } = await this.#script(request, step);
      signal.throwIfAborted();
      yield [{ type: "response-start", model: this.id }];
      if (text !== "") yield [{ type: "text-delta", text }];
      if (hang)
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
        );
      yield [
        ...calls.flatMap((call, index): StreamPart[] => {
          const { id = `call_${step}_${index}`, name } = call;
          return [
            { type: "tool-call-start", index, id, name },
            { type: "tool-call-end", index, id, name, args: JSON.stringify(call.args) },
          ];
        }),
        {
          type: "finish",
          reason: calls.length > 0 ? "tool_calls" : "stop",
          raw: "stop",
          model: this.id,
          cost: COST,
          usage: { input: 100, cached: 50, cacheWrite: 0, output: 10, reasoning: 0, estimated: false },
        },
      ];
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
  readonly model: ScriptedModel;
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
  const model = new ScriptedModel(script);
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
