import type { JSX } from "solid-js";
import { Show } from "solid-js";
import { nowMs } from "../data/clock.ts";
import { useDaemon } from "../data/daemon.ts";
import { clockTime, compact, count, duration } from "../model/format.ts";
import { Icon } from "../ui/parts.tsx";

/** A limit far above what anybody starts is noise: it moves with free memory and is in the hint. */
const LIMIT_SHOWN_MAX = 1000;

/** The daemon at a glance. A lost line turns the whole bar into the message: no old number stays. */
export function StatusBar(): JSX.Element {
  const daemon = useDaemon();
  return (
    <footer class="stat" aria-label="Daemon status" classList={{ lost: daemon.staleSince() !== undefined }}>
      <Show when={daemon.staleSince()} fallback={<Figures />}>
        {(since) => (
          <>
            <span>
              <i class="dot bad" />
              <b>Connection lost {duration(nowMs() - since())} ago.</b>
            </span>
            <span>no data since {clockTime(since())}</span>
            <span class="plain">
              The daemon, where it still runs, keeps working. This page resumes where it was; nothing is missed.
            </span>
            <span class="sp" />
            <button class="b s" onClick={() => daemon.connectNow()}>
              Connect now
            </button>
          </>
        )}
      </Show>
    </footer>
  );
}

function Figures(): JSX.Element {
  const daemon = useDaemon();
  return (
    <>
      <Show when={daemon.link() === "open"} fallback={<span>Connecting</span>}>
        <span>
          <i class="dot" />
          Connected
        </span>
      </Show>
      <Show when={daemon.status()}>
        {(status) => (
          <>
            <span title="Newest journal record that this page has">
              seq <b>{count(Math.max(daemon.seq(), status().cursor.seq))}</b>
            </span>
            <span title={`Resident memory of the daemon; peak ${count(status().peakRssMib)} MiB`}>
              memory <b>{count(status().rssMib)} MiB</b>
            </span>
            <span title="Delay of the daemon's event loop, 99th percentile">
              loop p99 <b>{ms(status().loopDelayP99Ms)}</b>
            </span>
            <span title="Model requests open now">
              in flight <b>{count(status().inFlight)}</b>
            </span>
            <span
              title={
                status().admission.reason ||
                `Runs that have a place; at most ${count(status().admission.limit)} fit now`
              }
            >
              runs{" "}
              <b>
                {count(status().sessions.running + status().sessions.waiting)}
                {status().admission.limit > 0 && status().admission.limit <= LIMIT_SHOWN_MAX
                  ? ` of ${count(status().admission.limit)}`
                  : ""}
              </b>
            </span>
            <Show when={daemon.tokensPerSecond() !== undefined}>
              <span title="Output tokens per second over the last 10 s">
                <b>{compact(daemon.tokensPerSecond() ?? 0)}</b> tok/s
              </span>
            </Show>
            <Show when={status().admission.reason}>
              <span class="warn">{status().admission.reason}</span>
            </Show>
            <Show when={status().store.state === "read_only"}>
              <span class="alarm">Read only: {status().store.reason}</span>
            </Show>
            <Show when={status().draining}>
              <span class="alarm">Stopping</span>
            </Show>
            <span class="sp" />
            <span class="home ell" title={`Data directory ${status().home}, version ${status().version}`}>
              {status().home}
            </span>
            <Show when={status().totals.simulated}>
              <span class="simulated" title="A simulator earned these tokens and this cost: no provider was paid">
                <Icon name="info" />
                Simulated
              </span>
            </Show>
          </>
        )}
      </Show>
    </>
  );
}

function ms(value: number | null): string {
  return value === null ? "not measured" : `${value < 10 ? value.toFixed(1) : count(value)} ms`;
}
