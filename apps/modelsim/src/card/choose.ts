/** Which picture suits a subject: by what its words speak of, else by its id. */
import { hash32 } from "../seeded.ts";
import type { CardSubject } from "./subject.ts";
import type { Visual } from "./visual.ts";
import { bars } from "./visuals/bars.ts";
import { chain } from "./visuals/chain.ts";
import { dag } from "./visuals/dag.ts";
import { dial } from "./visuals/dial.ts";
import { fan } from "./visuals/fan.ts";
import { flow } from "./visuals/flow.ts";
import { gauges } from "./visuals/gauges.ts";
import { graph } from "./visuals/graph.ts";
import { heat } from "./visuals/heat.ts";
import { histogram } from "./visuals/histogram.ts";
import { orbit } from "./visuals/orbit.ts";
import { radar } from "./visuals/radar.ts";
import { ridge } from "./visuals/ridge.ts";
import { ring } from "./visuals/ring.ts";
import { scope } from "./visuals/scope.ts";
import { spiral } from "./visuals/spiral.ts";
import { tank } from "./visuals/tank.ts";
import { timeline } from "./visuals/timeline.ts";
import { waterfall } from "./visuals/waterfall.ts";
import { web } from "./visuals/web.ts";

export const VISUALS: readonly Visual[] = [
  bars,
  chain,
  dag,
  dial,
  fan,
  flow,
  gauges,
  graph,
  heat,
  histogram,
  orbit,
  radar,
  ridge,
  ring,
  scope,
  spiral,
  tank,
  timeline,
  waterfall,
  web,
];

/** The first match decides; patterns look at the name alone. */
const BY_NAME: readonly (readonly [RegExp, Visual])[] = [
  [/rotation|event dedup|subscription|graph walk|tool error|kv cache/i, spiral],
  [/handoff|output|rebase|recovery|diagnostic|schema|priority|vault/i, timeline],
  [/ring buffer|buffer pool|object cache|replay queue|stream buffer/i, ring],
  [/marginal|gc pause|delta|diverg|page fault/i, ridge],
  [/heartbeat|lease|liveness|certificate|ack tracker/i, orbit],
  [/egress|socket buffer|token throttle|efficiency|nice/i, dial],
  [/histogram|handshake|checkout|vault|mint/i, histogram],
  [/oscilloscope|jitter|tunnel encryption|assertion loop/i, scope],
  [/bus|fan-?out|fork|signal|interceptor|broadcast/i, fan],
  [/stage|topological|dependency|join|plan\b|compaction/i, dag],
  [/topology|route|router|fallback|mesh|wireguard|arbiter|arbitrator/i, graph],
  [/throttle|bandwidth|egress|limiter|token stream|flow|multiplex|backpressure/i, flow],
  [/scanner|audit|scrubber|boundary|verifier|guard|lint/i, radar],
  [/balance|interleave|priority|speculative|drift/i, web],
  [/virtual memory|heap in-use|mapped|off-heap|saturation|footprint/i, tank],
  [/authenticat|sequence|prefix|blob|ref transaction|provenance|ed25519/i, chain],
  [/worker pool|thread pool|worktree pool|page alignment|fragment|kv cache|isolation|index|dedup/i, heat],
  [/rate limit|breaker|drop|retransmit|regression|context balancer|packet|zero-copy|alloc/i, bars],
  [/thermal|pressure|ttft/i, dial],
  [/nice|governor|checkpoint|session mutation|barrier/i, gauges],
  [/i\/o|profiler|dns|compress|thinking|extract|syntax/i, waterfall],
  [/dispatch|supervisor|program|task/i, timeline],
];

export function visualFor(subject: CardSubject): Visual {
  const match = BY_NAME.find(([pattern]) => pattern.test(subject.name));
  return match?.[1] ?? VISUALS[hash32(`${subject.id}:${subject.name}`) % VISUALS.length] ?? spiral;
}
