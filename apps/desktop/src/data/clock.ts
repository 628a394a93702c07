import { systemClock } from "@swarm/std";
import { createSignal } from "solid-js";

export const clock = systemClock;

const TICK_MS = 1000;
const [now, setNow] = createSignal(clock.now());
setInterval(() => setNow(clock.now()), TICK_MS);

/** Wall ms, once a second: ages on the page follow it. */
export const nowMs = now;
