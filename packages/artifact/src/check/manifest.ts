import { ANIMATION_VERSION } from "@swarm/protocol";
import { isObject } from "@swarm/std";

export const MANIFEST_ID = "swarm-animation-manifest";
const DURATION_MIN_MS = 100;
const DURATION_MAX_MS = 600_000;
const FPS_MAX = 60;
const FRAMES_MAX = 36_000;

export interface Manifest {
  readonly version: string;
  readonly duration_ms: number;
  readonly fps: number;
}

/** The manifest, or what is wrong with it in one sentence. Exactly three fields: an unknown one is refused. */
export function parseManifest(text: string): Manifest | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
  if (!isObject(value)) return "it is not a JSON object";
  const unknown = Object.keys(value).filter((key) => !["version", "duration_ms", "fps"].includes(key));
  if (unknown.length > 0) return `it has the unknown field ${JSON.stringify(unknown[0])}`;
  const { version, duration_ms, fps } = value;
  if (version !== ANIMATION_VERSION) return `version is ${JSON.stringify(version) ?? "missing"}, not "${ANIMATION_VERSION}"`;
  if (!isInteger(duration_ms, DURATION_MIN_MS, DURATION_MAX_MS)) return `duration_ms is ${JSON.stringify(duration_ms) ?? "missing"}, not an integer from ${DURATION_MIN_MS} to ${DURATION_MAX_MS}`;
  if (!isInteger(fps, 1, FPS_MAX)) return `fps is ${JSON.stringify(fps) ?? "missing"}, not an integer from 1 to ${FPS_MAX}`;
  const frames = Math.ceil((duration_ms * fps) / 1000);
  if (frames > FRAMES_MAX) return `${duration_ms} ms at ${fps} fps are ${frames} frames, more than ${FRAMES_MAX}`;
  return { version, duration_ms, fps };
}

function isInteger(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}
