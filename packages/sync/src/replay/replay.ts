import type { HubOptions } from "../ports.ts";

/** Records a replay reads at once. A client's replay holds one page of it in memory. */
export const REPLAY_PAGE = 100;

/** What a replay may look at. */
export interface ReplayWorld extends HubOptions {
  /** Seq of the newest record that the journal has told of: what a read shows beyond it will come by the live path. */
  readonly head: number;
  /** Where the topic `sessions` stands: seq of the newest summary that was told. */
  readonly summariesAt: number;
  /** A hole in what was read: damaged records. */
  hole(): void;
}

/** What to send now, and whether the client then stands at the head of its topic. */
export interface Served {
  readonly frames: readonly string[];
  /** Events among the frames. */
  readonly events: number;
  /** The client's place on the topic after these frames. */
  readonly seq: number;
  readonly atHead: boolean;
}

/**
 * Brings one subscription to the head of its topic: `read` and `serve` in turn until `serve` says so. `read` waits for
 * the store; `serve` does not wait, so that nothing can be told between its look at the head and the client's going
 * live.
 */
export interface Replay {
  read(): Promise<void>;
  serve(): Served;
}
