import type { Diagnostics } from "@swarm/protocol";
import type { KvWrite } from "@swarm/kv";
import { Histogram } from "@swarm/std";

/** An acknowledgement later than this counts as a stall. */
const STALL_MS = 100;

/** Counters since the journal was opened. */
export class Meter {
  readonly #ack = new Histogram();
  #mutations = 0;
  #groups = 0;
  #stalls = 0;
  #conflicts = 0;
  #bytes = 0;

  committed(records: number, writes: readonly KvWrite[]): void {
    if (records > 0) this.#groups++;
    this.#mutations += records;
    for (const write of writes) {
      this.#bytes += write.key.length;
      if (write.type === "put")
        this.#bytes += typeof write.value === "string" ? Buffer.byteLength(write.value) : write.value.byteLength;
    }
  }

  answered(ms: number): void {
    this.#ack.record(ms);
    if (ms > STALL_MS) this.#stalls++;
  }

  conflict(): void {
    this.#conflicts++;
  }

  stats(): Diagnostics["journal"] {
    const measured = this.#ack.count > 0;
    return {
      mutations: this.#mutations,
      groups: this.#groups,
      ackP50Ms: this.#ack.quantile(0.5) ?? null,
      ackP99Ms: this.#ack.quantile(0.99) ?? null,
      ackMaxMs: measured ? this.#ack.max : null,
      stalls: this.#stalls,
      conflicts: this.#conflicts,
      bytes: this.#bytes,
    };
  }
}
