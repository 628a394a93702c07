import {
  AddMessageSchema,
  AnswerSchema,
  CancelManySchema,
  CreateSessionSchema,
  ExchangeSchema,
  FrameSchema,
  TASK_MAX_BYTES,
} from "@swarm/protocol";
import { AppError } from "@swarm/std";
import * as z from "zod/mini";
import type { ServerCommands, TokenDesk } from "./ports.ts";

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Who asks, for the audit trail: `client:<token id>`. */
  readonly actor: string;
  readonly key: string;
}
/** `fixed`: the address names these very bytes (a hash, a revision), so a browser may keep them. */
export type Reply =
  | { readonly json: unknown; readonly status?: number }
  | { readonly bytes: Uint8Array; readonly type: string; readonly fixed: boolean };

export interface Route {
  readonly method: "GET" | "POST";
  /** `:name` is a parameter. */
  readonly path: string;
  readonly what: string;
  /** False: answers without a token. Only what is named so. */
  readonly auth: boolean;
  readonly body?: z.ZodMiniType;
  /** Bytes of body; BODY_MAX_BYTES when absent. Small where no token is needed. */
  readonly limitBytes?: number;
  handle(call: Call): Promise<Reply> | Reply;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 1000;
const EXCHANGE_MAX_BYTES = 4 * 1024;
/** Ids, cursors and group names are shorter; longer ones are not put to the store. */
const WORD_MAX_CHARS = 200;

/** Every route of the API, once: dispatch, OpenAPI and the tests read this table. */
export function apiRoutes(
  commands: ServerCommands,
  tokens: TokenDesk,
  o: { ready(): boolean; frameUrl(ticket: string): string },
): readonly Route[] {
  const found = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new AppError("not_found", `There is no ${what}.`);
    return value;
  };
  return [
    { method: "GET", path: "/health", what: "The process lives.", auth: false, handle: () => ({ json: { ok: true } }) },
    {
      method: "GET",
      path: "/ready",
      what: "Sessions can be started.",
      auth: false,
      handle: () => ({ json: { ready: o.ready() }, status: o.ready() ? 200 : 503 }),
    },
    {
      method: "POST",
      path: "/v1/auth/exchange",
      what: "Trade a login code (single use, 60 s) for the token.",
      auth: false,
      body: ExchangeSchema,
      limitBytes: EXCHANGE_MAX_BYTES,
      handle: ({ body }) => {
        const token = tokens.exchange((body as z.infer<typeof ExchangeSchema>).code);
        if (token === undefined)
          throw new AppError(
            "unauthorized",
            "This code was used already or is older than 60 s: 'swarm up' prints a new address.",
          );
        return { json: { token } };
      },
    },
    {
      method: "POST",
      path: "/v1/auth/codes",
      what: "Make a login code for the desktop.",
      auth: true,
      handle: () => ({ json: { code: tokens.createLoginCode() } }),
    },
    {
      method: "POST",
      path: "/v1/tokens/rotate",
      what: "A new token; the old one ends.",
      auth: true,
      handle: () => ({ json: { token: tokens.rotate() } }),
    },
    {
      method: "POST",
      path: "/v1/stream/tickets",
      what: "A ticket for the stream (single use, 10 s).",
      auth: true,
      handle: () => ({ json: { ticket: tokens.createStreamTicket() } }),
    },
    {
      method: "GET",
      path: "/v1/status",
      what: "What the daemon does now.",
      auth: true,
      handle: () => ({ json: commands.status() }),
    },
    {
      method: "GET",
      path: "/v1/diagnostics",
      what: "Counters since the start.",
      auth: true,
      handle: () => ({ json: commands.diagnostics() }),
    },
    {
      method: "POST",
      path: "/v1/diagnostics/reset",
      what: "Start loop and collector figures anew.",
      auth: true,
      handle: () => {
        commands.resetDiagnostics();
        return { json: { ok: true } };
      },
    },
    {
      method: "GET",
      path: "/v1/models",
      what: "Models and whether they can be used.",
      auth: true,
      handle: () => ({ json: commands.models() }),
    },
    {
      method: "GET",
      path: "/v1/usage",
      what: "Tokens and cost of all sessions.",
      auth: true,
      handle: () => ({ json: commands.usage() }),
    },
    {
      method: "GET",
      path: "/v1/keys/signing",
      what: "The public key that artifacts are signed with.",
      auth: true,
      handle: () => ({ json: commands.signingKey() }),
    },
    {
      method: "POST",
      path: "/v1/sessions",
      what: "Start a session. Idempotency-Key honoured.",
      auth: true,
      body: CreateSessionSchema,
      handle: async ({ body, actor, key }) => {
        const request = body as z.infer<typeof CreateSessionSchema>;
        if (Buffer.byteLength(request.task) > TASK_MAX_BYTES) throw tooLarge("task", Buffer.byteLength(request.task));
        return { json: await commands.createSession(request, actor, key), status: 201 };
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/cancel",
      what: "End all unfinished runs, or those of one group.",
      auth: true,
      body: CancelManySchema,
      handle: async ({ body, actor }) => {
        const { group } = body as z.infer<typeof CancelManySchema>;
        return { json: { cancelled: await commands.cancelMany(group === undefined ? {} : { group }, actor) } };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions",
      what: "Sessions in order of creation; ?after=&limit=&group=",
      auth: true,
      handle: async ({ query }) => {
        const [after, group] = [wordOf(query, "after"), wordOf(query, "group")];
        return {
          json: await commands.sessions({
            limit: limitOf(query),
            ...(after === null ? {} : { after }),
            ...(group === null ? {} : { group }),
          }),
        };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id",
      what: "One session at a glance.",
      auth: true,
      handle: async ({ params }) => ({ json: found(await commands.session(params["id"]!), `session ${params["id"]}`) }),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/records",
      what: "A session's journal by revision; ?after=&limit=",
      auth: true,
      handle: async ({ params, query }) => {
        found(await commands.session(params["id"]!), `session ${params["id"]}`);
        const after = query.get("after");
        return {
          json: await commands.records(params["id"]!, {
            limit: limitOf(query),
            ...(after === null ? {} : { after: wholeOf("after", after) }),
          }),
        };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/plan",
      what: "A session's plan, or null.",
      auth: true,
      handle: async ({ params }) => ({ json: (await commands.plan(params["id"]!)) ?? null }),
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/messages",
      what: "Steer the run, or start a new one.",
      auth: true,
      body: AddMessageSchema,
      handle: async ({ params, body, actor, key }) => ({
        json: await commands.addMessage(params["id"]!, (body as z.infer<typeof AddMessageSchema>).text, actor, key),
      }),
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/answers",
      what: "Answer the question a session waits on.",
      auth: true,
      body: AnswerSchema,
      handle: async ({ params, body, actor, key }) => {
        const { question, answer } = body as z.infer<typeof AnswerSchema>;
        await commands.answer(params["id"]!, question, answer, actor, key);
        return { json: { ok: true } };
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/cancel",
      what: "End the run now.",
      auth: true,
      handle: async ({ params, actor }) => ({ json: { cancelled: await commands.cancel(params["id"]!, actor) } }),
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/seen",
      what: "A person has looked at the result.",
      auth: true,
      handle: async ({ params, actor }) => {
        await commands.seen(params["id"]!, actor);
        return { json: { ok: true } };
      },
    },
    {
      method: "GET",
      path: "/v1/artifacts",
      what: "Artifacts in order of creation; ?after=&limit=",
      auth: true,
      handle: async ({ query }) => {
        const after = wordOf(query, "after");
        return { json: await commands.artifacts({ limit: limitOf(query), ...(after === null ? {} : { after }) }) };
      },
    },
    {
      method: "GET",
      path: "/v1/artifacts/:id",
      what: "One artifact with revisions, report and provenance.",
      auth: true,
      handle: async ({ params }) => ({
        json: found(await commands.artifact(params["id"]!), `artifact ${params["id"]}`),
      }),
    },
    {
      method: "GET",
      path: "/v1/artifacts/:id/content",
      what: "The document as text; ?revision=",
      auth: true,
      handle: async ({ params, query }) => {
        const revision = query.get("revision");
        return {
          bytes: found(
            await commands.artifactContent(
              params["id"]!,
              revision === null ? undefined : wholeOf("revision", revision),
            ),
            "such revision",
          ),
          type: "text/plain; charset=utf-8",
          fixed: revision !== null,
        };
      },
    },
    {
      method: "POST",
      path: "/v1/artifacts/:id/frames",
      what: "A short-lived address of the artifact on its own origin.",
      auth: true,
      body: FrameSchema,
      handle: async ({ params, body }) => {
        const detail = found(await commands.artifact(params["id"]!), `artifact ${params["id"]}`);
        const { ticket, expiresAt } = tokens.createFrameTicket({
          artifact: detail.id,
          revision: (body as z.infer<typeof FrameSchema>).revision ?? detail.revision,
        });
        return { json: { url: o.frameUrl(ticket), expiresAt } };
      },
    },
    {
      method: "GET",
      path: "/v1/blobs/:sha",
      what: "Bytes by hash: stills are PNG.",
      auth: true,
      handle: async ({ params }) => {
        const bytes = found(await commands.blob(params["sha"]!), "such blob");
        return { bytes, type: isPng(bytes) ? "image/png" : "application/octet-stream", fixed: true };
      },
    },
    {
      method: "GET",
      path: "/v1/texts/:sha",
      what: "A long text by hash.",
      auth: true,
      handle: async ({ params }) => ({
        bytes: found(await commands.blob(params["sha"]!), "such text"),
        type: "text/plain; charset=utf-8",
        fixed: true,
      }),
    },
    {
      method: "POST",
      path: "/v1/daemon/stop",
      what: "Drain and end the daemon.",
      auth: true,
      handle: () => {
        commands.stop();
        return { json: { ok: true } };
      },
    },
  ];
}

function limitOf(query: URLSearchParams): number {
  const text = query.get("limit");
  const limit = text === null ? PAGE_DEFAULT : wholeOf("limit", text);
  if (limit < 1 || limit > PAGE_MAX) throw new AppError("bad_request", `limit takes 1 to ${PAGE_MAX}, not ${limit}`);
  return limit;
}

function wordOf(query: URLSearchParams, name: string): string | null {
  const text = query.get(name);
  if (text !== null && text.length > WORD_MAX_CHARS)
    throw new AppError("bad_request", `${name} has ${text.length} characters, the limit is ${WORD_MAX_CHARS}`);
  return text;
}

function wholeOf(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value))
    throw new AppError("bad_request", `${name} takes a whole number, not '${text.slice(0, 40)}'`);
  return value;
}

export function tooLarge(what: string, bytes: number): AppError {
  return new AppError("body_too_large", `The ${what} has ${bytes} bytes, the limit is ${TASK_MAX_BYTES} (4 MiB).`);
}

function isPng(bytes: Uint8Array): boolean {
  return bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47;
}

/** OpenAPI 3.1 of the table. */
export function openApi(routes: readonly Route[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      summary: route.what,
      security: route.auth ? [{ bearer: [] }] : [],
      parameters: [...route.path.matchAll(/:(\w+)/g)].map((m) => ({
        name: m[1],
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      ...(route.body === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { "application/json": { schema: z.toJSONSchema(route.body, { unrepresentable: "any" }) } },
            },
          }),
      responses: { default: { description: "The answer, or an RFC 9457 problem document." } },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Swarm", version },
    paths,
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  };
}
