/** Bytes a client may have been sent beyond its last acknowledgement: about half a minute of a hundred streaming agents. */
const CREDIT_BYTES = 8 * 1024 * 1024;
/** Acknowledgements are attributed to messages with this grain: at most `CREDIT_BYTES / GRAIN_BYTES` marks are kept. */
const GRAIN_BYTES = 64 * 1024;

/**
 * What a client was sent and has not acknowledged. An `ack` names a seq; it stands for all bytes up to the message
 * that carried that seq, and, when it names the newest, for all that was sent (text that streams has no seq).
 */
export class Credit {
  #sent = 0;
  #acked = 0;
  #marks: { seq: number; bytes: number }[] = [];

  /** `seq`: the newest in the message; 0 when it carries none. */
  sent(bytes: number, seq: number): void {
    this.#sent += bytes;
    if (seq === 0) return;
    const last = this.#marks.at(-1);
    const before = this.#marks.at(-2)?.bytes ?? this.#acked;
    if (last !== undefined && this.#sent - before <= GRAIN_BYTES) {
      last.seq = Math.max(last.seq, seq);
      last.bytes = this.#sent;
    } else this.#marks.push({ seq: Math.max(seq, last?.seq ?? 0), bytes: this.#sent });
  }

  ack(seq: number): void {
    let done = 0;
    while (done < this.#marks.length && this.#marks[done]!.seq <= seq) this.#acked = this.#marks[done++]!.bytes;
    if (done > 0) this.#marks = this.#marks.slice(done);
    if (this.#marks.length === 0) this.#acked = this.#sent;
  }

  get sentBytes(): number {
    return this.#sent;
  }
  get ackedBytes(): number {
    return this.#acked;
  }
  get exhausted(): boolean {
    return this.#sent - this.#acked > CREDIT_BYTES;
  }
}
