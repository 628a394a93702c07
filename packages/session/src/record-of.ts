import { recordOf, type AgentEvent } from "@swarm/agent";
import { INLINE_TEXT_MAX_BYTES, type StoredText } from "@swarm/protocol";
import type { AnyMutation, BlobWrite } from "@swarm/protocol/ports";
import type { RunId } from "@swarm/std";

export const AGENT_ACTOR = "agent";

export interface MutationContext {
  readonly session: string;
  readonly run: RunId;
  /** Undefined for a run that ends before it was leased. */
  readonly epoch: number | undefined;
  /** Unique among the events of this lease. */
  readonly sequence: number;
  /** Streams whose texts the event's record holds, or makes worthless. */
  readonly dropStreams: readonly string[];
  readonly blob: (bytes: Uint8Array) => BlobWrite;
}

/** Puts a text where a record keeps it: in place, or as a blob of the same batch when it is long. */
export function storeText(text: string, blob: (bytes: Uint8Array) => BlobWrite, blobs: BlobWrite[]): StoredText {
  if (text.length * 3 <= INLINE_TEXT_MAX_BYTES || Buffer.byteLength(text) <= INLINE_TEXT_MAX_BYTES) return text;
  const write = blob(Buffer.from(text, "utf8"));
  blobs.push(write);
  return write.ref;
}

/** The mutation of an agent's event. Its key makes a repeated event one record. */
export function mutationOf(event: AgentEvent, context: MutationContext): AnyMutation {
  const { session, run, epoch, sequence, dropStreams } = context;
  const blobs: BlobWrite[] = [];
  const draft = recordOf(event, run, (text) => storeText(text, context.blob, blobs));
  const fence = epoch === undefined ? {} : { epoch };
  return {
    ...draft,
    ...fence,
    session,
    actor: AGENT_ACTOR,
    key: `${run}/${epoch ?? 0}/${sequence}`,
    blobs,
    dropStreams,
  };
}
