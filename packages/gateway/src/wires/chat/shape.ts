import type { DeltaKind } from "../../parts.ts";

/**
 * Most events of a stream differ from each other in one string only. A shape is what stays the same around it: when an
 * event starts and ends with a known one, the middle is the inside of a JSON string and nothing else need be parsed.
 *
 * Soundness: JSON is compositional, so if `prefix + X + suffix` is valid and means "delta X" for a probe X, it does for
 * every X that is the inside of a valid string literal; the batch checks that of each middle and refuses others.
 */
export interface Shape {
  readonly prefix: string;
  readonly suffix: string;
  readonly kind: DeltaKind;
  /** Our index of the call, for `args`. */
  readonly index: number;
}

/** What an event says when it says one thing only. */
export interface SingleDelta {
  readonly kind: DeltaKind;
  readonly index: number;
  readonly text: string;
}

const PROBE = "\u2603probe";

/** The shape of an event that was read as `delta`; undefined when it has none. `read` parses and interprets, without effect. */
export function learnShape(
  event: string,
  delta: SingleDelta,
  read: (event: string) => SingleDelta | undefined,
): Shape | undefined {
  const key =
    delta.kind === "args"
      ? /"arguments"\s*:\s*"/
      : delta.kind === "text"
        ? /"content"\s*:\s*"/
        : /"reasoning(?:_content)?"\s*:\s*"/;
  const match = key.exec(event);
  if (!match) return undefined;
  const from = match.index + match[0].length;
  const to = literalEnd(event, from);
  if (to < 0) return undefined;
  // Copies: a slice would keep the whole socket read alive as long as the stream.
  const prefix = Buffer.from(event.slice(0, from)).toString();
  const suffix = Buffer.from(event.slice(to)).toString();
  const probed = read(prefix + PROBE + suffix);
  if (probed?.text !== PROBE || probed.kind !== delta.kind || probed.index !== delta.index) return undefined;
  return { prefix, suffix, kind: delta.kind, index: delta.index };
}

/** Index of the closing quote of a string literal whose inside begins at `from`; -1 when there is none. */
function literalEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === 92) i++;
    else if (sign === 34) return i;
  }
  return -1;
}
