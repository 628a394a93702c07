/** What a wire request says, in one neutral form. The decision reads this and nothing else. */
export interface ToolDeclared {
  readonly name: string;
  readonly description: string;
  /** JSON Schema as sent; Gemini's upper-case type names are lower-cased. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** Undefined when the arguments were not a JSON object. */
  readonly args: Readonly<Record<string, unknown>> | undefined;
}

export type Turn =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly Call[] }
  | { readonly role: "tool"; readonly id: string; readonly name: string; readonly output: string };

export interface ParsedRequest {
  readonly wire: "gemini" | "chat";
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDeclared[];
  readonly turns: readonly Turn[];
  /** Reasoning is streamed as parts of its own when the client asked for it. */
  readonly showThoughts: boolean;
  /** Usage is sent (always on Gemini; on chat only with `stream_options.include_usage`). */
  readonly sendUsage: boolean;
  /**
   * The request as the model reads it and the prefix cache sees it: one text for each block in the provider's
   * order, with every byte the client chose (member order kept). The first `frozenSegments` are tools and system.
   */
  readonly segments: readonly string[];
  readonly frozenSegments: number;
}

/** A member that should be text: itself, a number in digits, else `fallback`. */
export function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : fallback;
}

/** A request that the real provider would refuse. `status` is the HTTP status. */
export class BadRequest extends Error {
  readonly status: number;
  constructor(message: string, status = 400) {
    super(message);
    this.name = "BadRequest";
    this.status = status;
  }
}
