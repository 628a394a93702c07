import type { DaemonApi } from "./api.ts";

/**
 * Live artifacts on the page: at most four at once (two to four pages hold 60 fps on a small machine). A fifth
 * takes the place of the oldest that is not pinned; that one goes back to its still.
 */
export const LIVE_FRAMES_MAX = 4;

interface Holder {
  readonly pinned: boolean;
  readonly evict: () => void;
}

export interface Frames {
  /** An address for `<iframe>`, or undefined when it cannot be had. `evict` is called when the place is taken away. */
  open(
    artifact: string,
    revision: number | undefined,
    options: { pinned: boolean; evict(): void },
  ): {
    readonly url: Promise<string | undefined>;
    close(): void;
  };
}

export function createFrames(api: Pick<DaemonApi, "artifactFrame">): Frames {
  const holders = new Set<Holder>(); // insertion order is age
  return {
    open(artifact, revision, options) {
      if (holders.size >= LIVE_FRAMES_MAX) {
        const oldest = [...holders].find((h) => !h.pinned) ?? [...holders][0]!;
        holders.delete(oldest);
        oldest.evict();
      }
      const holder: Holder = { pinned: options.pinned, evict: () => options.evict() };
      holders.add(holder);
      const url = api.artifactFrame(artifact, revision === undefined ? {} : { revision }).then(
        (frame) => frame.url,
        () => undefined, // the still stays
      );
      return { url, close: () => void holders.delete(holder) };
    },
  };
}
