/** What a decision becomes on a wire. */
export type OutputItem =
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  /** `json` may be broken on purpose. */
  | { readonly type: "call"; readonly name: string; readonly json: string };

export interface WireEvent {
  /** Tokens that this event took to make: they decide when it is sent. */
  readonly tokens: number;
  readonly frame: string;
  /** The frame that says the answer is complete (left out by the fault `no_terminal`). */
  readonly terminal?: boolean;
}

export interface WireUsage {
  readonly input: number;
  readonly cached: number;
  readonly text: number;
  readonly thoughts: number;
}

export function chunkSize(range: { readonly min: number; readonly max: number }, random: () => number): number {
  return range.min + Math.floor(random() * (range.max - range.min + 1));
}
