/** What the model does next. */
export type Action =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** A call whose argument text is broken on purpose. */
  | { readonly type: "broken-call"; readonly name: string; readonly json: string };

export interface Decision {
  /** Reasoning, streamed only where the client asked for it, counted always. */
  readonly thought: string;
  readonly actions: readonly Action[];
}

/** Breaks JSON the way models do: an unescaped quote inside a text, or words after the end. */
export function breakJson(json: string, roll: number): string {
  const escaped = json.indexOf('\\"', Math.floor(json.length / 3));
  if (roll < 0.5 && escaped > 0) return json.slice(0, escaped) + json.slice(escaped + 1);
  return `${json}\n</tool_call>`;
}
