import type { PartBatch } from "../parts.ts";

interface OpenCall {
  readonly index: number;
  /** The provider's id; "" when it sent none. */
  readonly theirId: string;
  /** What the rest of Swarm sees: never empty, unique within the answer. */
  readonly id: string;
  name: string;
  announced: boolean;
  /** Arguments that came before the name. */
  held: string;
  signature?: string;
}

/** One piece of a call as a chunk carries it. */
export interface CallPiece {
  /** The server's index; undefined when it sends none. */
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/**
 * Parallel calls of one answer. Pieces are joined by the server's id when they carry one, else by its index, else they
 * belong to the newest call. Servers that give every call index 0, or none, or repeat id and name in each piece, are
 * read right: a new id, or a name after complete arguments, starts a new call.
 */
export class ToolCalls {
  readonly #batch: PartBatch;
  readonly #newId: () => string;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  constructor(batch: PartBatch, newId: () => string) {
    this.#batch = batch;
    this.#newId = newId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Returns our index of the call the piece belongs to; -1 while the call has no name. */
  add(piece: CallPiece): number {
    const call = this.#find(piece) ?? this.#open(piece);
    if (piece.name !== "") call.name = piece.name;
    if (!call.announced && call.name !== "") {
      call.announced = true;
      this.#batch.push({ type: "tool-call-start", index: call.index, id: call.id, name: call.name });
      this.#batch.delta("args", call.index, call.held);
    }
    if (!call.announced) {
      call.held += piece.args;
      return -1;
    }
    this.#batch.delta("args", call.index, piece.args);
    return call.index;
  }

  /** A call that came in one piece, with what must go back beside it. */
  addWhole(piece: CallPiece, signature: string | undefined): void {
    const call = this.#open(piece);
    call.name = piece.name;
    call.announced = true;
    if (signature !== undefined) call.signature = signature;
    this.#batch.push({ type: "tool-call-start", index: call.index, id: call.id, name: call.name });
    this.#batch.delta("args", call.index, piece.args);
  }

  /** Ends the calls that arrived whole. After a cut by length only those whose arguments are complete JSON are. */
  end(complete: boolean): number {
    let ended = 0;
    for (const { index, id, name, signature } of this.#calls) {
      const args = this.#batch.args(index);
      if (name === "" || (!complete && !isJson(args))) continue;
      this.#batch.push({
        type: "tool-call-end",
        index,
        id,
        name,
        args,
        ...(signature === undefined ? {} : { signature }),
      });
      ended++;
    }
    return ended;
  }

  #find(piece: CallPiece): OpenCall | undefined {
    if (piece.id !== "") {
      const same = this.#calls.findLast(
        (call) => call.theirId === piece.id && (piece.index === undefined || this.#indexFits(call, piece)),
      );
      if (same) return this.#restarts(same, piece) ? undefined : same;
    }
    const open = piece.index === undefined ? this.#calls.at(-1) : this.#byIndex.get(piece.index);
    if (open === undefined || (piece.id !== "" && open.theirId !== "")) return undefined;
    if (piece.index === undefined && piece.id !== "") return undefined;
    return this.#restarts(open, piece) ? undefined : open;
  }

  /** The same id under another index is another call: some servers repeat ids. */
  #indexFits(call: OpenCall, piece: CallPiece): boolean {
    const open = this.#byIndex.get(piece.index!);
    return open === undefined ? !this.#isIndexed(call) : open === call || open.theirId !== piece.id;
  }

  #isIndexed(call: OpenCall): boolean {
    return [...this.#byIndex.values()].includes(call);
  }

  #restarts(call: OpenCall, piece: CallPiece): boolean {
    return piece.name !== "" && call.name !== "" && isJson(this.#batch.args(call.index));
  }

  #open(piece: CallPiece): OpenCall {
    const taken = piece.id === "" || this.#calls.some((call) => call.id === piece.id);
    const call: OpenCall = {
      index: this.#calls.length,
      theirId: piece.id,
      id: taken ? this.#newId() : piece.id,
      name: "",
      announced: false,
      held: "",
    };
    this.#calls.push(call);
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    return call;
  }
}

function isJson(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
