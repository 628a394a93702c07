/**
 * The conversation as the gateway takes it: in process, complete texts, provider-neutral.
 * Request builders must make a valid request from ANY list of these (orphans, duplicates, empties).
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Raw JSON text of the arguments as the model sent it; may be invalid JSON. */
  readonly args: string;
  /** Opaque provider data that must go back with the call (Gemini thought signatures). */
  readonly signature?: string;
}

export type Message =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly ToolCall[];
      readonly signature?: string;
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly name: string;
      readonly output: string;
      readonly isError: boolean;
    };

/** JSON Schema as data (the subset that all four wires take). */
export type JsonSchema = { readonly [key: string]: unknown };

/** What the model sees of a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
