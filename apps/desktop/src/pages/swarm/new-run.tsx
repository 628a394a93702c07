import type { CreateSession, ModelInfo } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createResource, createSignal, For, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { plural } from "../../model/format.ts";
import { Dialog } from "../../shell/dialog.tsx";
import { go } from "../../shell/router.ts";
import { Icon } from "../../ui/parts.tsx";
import { report, toast } from "../../ui/toasts.tsx";
import { forEach } from "./bulk.tsx";

const COUNT_MAX = 1000;

/** One task for one agent or for many. No estimate is made up: cost is shown as it is spent, a cap can be set. */
export function NewRun(props: { onClose: () => void }): JSX.Element {
  const daemon = useDaemon();
  const [models] = createResource(() => daemon.api.models().catch((): readonly ModelInfo[] => []));
  const [task, setTask] = createSignal("");
  const [agents, setAgents] = createSignal(1);
  const [model, setModel] = createSignal("");
  const [profile, setProfile] = createSignal("");
  const [group, setGroup] = createSignal("");
  const [usd, setUsd] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const profiles = (): string[] => [...new Set(daemon.sessions().map((s) => s.profile))].filter(Boolean);
  const usable = (): readonly ModelInfo[] => (models() ?? []).filter((m) => m.available);
  const why = (): string => (models() ?? []).find((m) => m.id === model() && !m.available)?.reason ?? "";

  const start = (): void => {
    const base = inputOf({ task: task(), model: model(), profile: profile(), usd: usd() });
    const n = agents();
    const key = crypto.randomUUID();
    const grouped = group().trim() === "" ? (n > 1 ? titleOf(task()) : "") : group().trim();
    const one = async (i: string): Promise<string> => {
      const named = n > 1 ? { title: `${titleOf(task())} ${Number(i) + 1}` } : {};
      const made = await daemon.api.createSession(
        { ...base, ...named, ...(grouped === "" ? {} : { group: grouped }) },
        `${key}-${i}`,
      );
      return made.session;
    };
    setBusy(true);
    const work =
      n === 1
        ? one("0").then((id) => go({ page: "session", id }))
        : forEach(
            Array.from({ length: n }, (_, i) => String(i)),
            async (i) => void (await one(i)),
          );
    work
      .then(() => (n > 1 ? toast(`${plural(n, "run")} started.`) : undefined))
      .then(props.onClose)
      .catch(report("New run"))
      .finally(() => setBusy(false));
  };

  return (
    <Dialog label="New run" class="sheet form" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <header>
          <h2>New run</h2>
          <span class="sp" />
          <button type="button" class="b ic s" aria-label="Close" onClick={() => props.onClose()}>
            <Icon name="x" />
          </button>
        </header>
        <label>
          <span>Task</span>
          <textarea
            data-autofocus
            rows="6"
            required
            placeholder="What should be done, and how you will know that it is done"
            value={task()}
            onInput={(event) => setTask(event.currentTarget.value)}
            onKeyDown={(event) =>
              event.key === "Enter" && (event.ctrlKey || event.metaKey) && task().trim() !== "" && start()
            }
          />
        </label>
        <div class="grid3">
          <label>
            <span>Agents</span>
            <input
              type="number"
              min="1"
              max={COUNT_MAX}
              required
              value={agents()}
              onInput={(event) =>
                setAgents(Math.min(COUNT_MAX, Math.max(1, Math.trunc(event.currentTarget.valueAsNumber) || 1)))
              }
            />
          </label>
          <label>
            <span>Profile</span>
            <input
              list="profiles"
              placeholder="default"
              value={profile()}
              onInput={(event) => setProfile(event.currentTarget.value)}
            />
            <datalist id="profiles">
              <For each={profiles()}>{(name) => <option value={name} />}</For>
            </datalist>
          </label>
          <label>
            <span>Cap per run, $</span>
            <input
              type="number"
              min="0.001"
              step="0.001"
              placeholder="none"
              value={usd()}
              onInput={(event) => setUsd(event.currentTarget.value)}
            />
          </label>
        </div>
        <div class="grid2">
          <label>
            <span>Model</span>
            <select value={model()} onChange={(event) => setModel(event.currentTarget.value)}>
              <option value="">{daemon.status() ? `default: ${daemon.status()?.models.default}` : "default"}</option>
              <For each={models()}>
                {(m) => (
                  <option value={m.id} disabled={!m.available}>
                    {m.id}
                    {m.simulated ? " (simulated)" : ""}
                    {m.available ? "" : ` (${m.reason})`}
                  </option>
                )}
              </For>
            </select>
          </label>
          <label>
            <span>Group</span>
            <input
              placeholder={agents() > 1 ? titleOf(task()) || "from the task" : "none"}
              maxlength="120"
              value={group()}
              onInput={(event) => setGroup(event.currentTarget.value)}
            />
          </label>
        </div>
        <Show when={why()}>{(reason) => <p class="hint">{reason()}</p>}</Show>
        <Show when={models() !== undefined && usable().length === 0}>
          <p class="hint">No model can be reached. Add a provider key, or start the simulator, which costs nothing.</p>
        </Show>
        <footer>
          <span class="mut">Cost is shown as it is spent.</span>
          <span class="sp" />
          <button type="button" class="b line" onClick={() => props.onClose()}>
            Close
          </button>
          <button class="b ink" disabled={busy() || task().trim() === ""}>
            {agents() > 1 ? `Start ${plural(agents(), "run")}` : "Start run"} <kbd>Ctrl Enter</kbd>
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function inputOf(form: { task: string; model: string; profile: string; usd: string }): CreateSession {
  const usd = Number(form.usd);
  return {
    task: form.task,
    interactive: true,
    ...(form.model === "" ? {} : { model: form.model }),
    ...(form.profile.trim() === "" ? {} : { profile: form.profile.trim() }),
    ...(usd > 0 ? { budget: { usd } } : {}),
  };
}

/** First line of the task, at most 60 characters. */
function titleOf(task: string): string {
  const line = task.trim().split("\n")[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
