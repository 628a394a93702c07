/** checker: the gate's process. Its one use is to be started as `src/main.ts`; see `protocol.ts` for its lines. */
export type { Answer, Order, WireStill } from "./protocol.ts";
