import type { JSX } from "solid-js";
import { createMemo, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { plural } from "../../model/format.ts";
import { isOpen } from "../../model/state.ts";
import { Icon } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";
import { clearSelection, confirming, selected, setConfirming } from "./state.ts";

const PARALLEL = 8;

/** Does `run` for every id, a few at a time; the first error is thrown after the rest had its try. */
export async function forEach(ids: readonly string[], run: (id: string) => Promise<unknown>): Promise<void> {
  const queue = [...ids];
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      await run(id).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  if (errors.length > 0) throw errors[0];
}

/** Actions on what is selected. Cancel asks only when it would end more than one run. */
export function BulkBar(): JSX.Element {
  const daemon = useDaemon();
  const open = createMemo(() =>
    daemon
      .sessions()
      .filter((s) => selected().has(s.id) && isOpen(s))
      .map((s) => s.id),
  );
  const unseen = createMemo(() =>
    daemon
      .sessions()
      .filter((s) => selected().has(s.id) && s.unseen)
      .map((s) => s.id),
  );
  const cancel = (): void => {
    const ids = open();
    if (ids.length > 1 && !confirming()) return void setConfirming(true);
    forEach(ids, (id) => daemon.api.cancel(id))
      .then(() => toast(`${plural(ids.length, "run")} cancelled.`, "What they had written is kept."))
      .catch(report("Cancel"));
    clearSelection();
  };
  const markSeen = (): void => {
    forEach(unseen(), (id) => daemon.api.seen(id)).catch(report("Mark as seen"));
    clearSelection();
  };
  return (
    <Show when={selected().size > 0}>
      <div class="bulk" role="toolbar" aria-label="Selected sessions">
        <span class="str">{selected().size} selected</span>
        <Show when={unseen().length > 0}>
          <button class="b s" onClick={markSeen}>
            <Icon name="check" />
            Mark as seen
          </button>
        </Show>
        <Show when={open().length > 0} fallback={<span class="mut">all have ended</span>}>
          <button class="b s danger" onClick={cancel}>
            <Icon name="x" />
            {confirming() ? `Cancel ${plural(open().length, "run")}?` : "Cancel"}
          </button>
        </Show>
        <button class="b s" aria-label="Clear selection" onClick={clearSelection}>
          <kbd>Esc</kbd>
        </button>
      </div>
    </Show>
  );
}
