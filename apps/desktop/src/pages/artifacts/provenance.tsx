import { verifyProvenance, type Provenance, type ProvenanceVerdict } from "@swarm/protocol";
import type { JSX } from "solid-js";
import { createEffect, createSignal, on, Show } from "solid-js";
import { useDaemon } from "../../data/daemon.ts";
import { dateTime } from "../../model/format.ts";
import { hrefOf } from "../../shell/router.ts";
import { Icon } from "../../ui/parts.tsx";
import { toast } from "../../ui/toasts.tsx";

type Verified =
  | ProvenanceVerdict
  | { readonly ok: false; readonly error: "unreachable" | "unsupported"; readonly message: string };

/** The signed statement, and its check done here: bytes hashed and signature verified by this browser. */
export function ProvenanceBlock(props: { provenance: Provenance }): JSX.Element {
  const daemon = useDaemon();
  const [verdict, setVerdict] = createSignal<Verified | undefined>(undefined);
  const [busy, setBusy] = createSignal(false);
  createEffect(
    on(
      () => props.provenance.signature,
      () => setVerdict(undefined),
    ),
  );

  const verify = async (): Promise<void> => {
    const p = props.provenance;
    setBusy(true);
    try {
      const [content, key] = await Promise.all([
        daemon.api.artifactBytes(p.artifact, p.revision),
        daemon.api.signingKey(),
      ]);
      setVerdict(
        await verifyProvenance(
          content,
          { ...p },
          Uint8Array.from(atob(key.publicKey), (c) => c.charCodeAt(0)),
        ),
      );
    } catch (error) {
      const foreign = error instanceof DOMException;
      const message = error instanceof Error ? error.message : String(error);
      setVerdict(
        foreign
          ? { ok: false, error: "unsupported", message: "this browser cannot check Ed25519: use swarm verify" }
          : { ok: false, error: "unreachable", message },
      );
    }
    setBusy(false);
  };
  const copy = (): void => {
    void navigator.clipboard.writeText(props.provenance.sha256).then(() => toast("SHA-256 copied."));
  };
  return (
    <>
      <h3>
        Provenance
        <Show when={verdict()}>
          {(v) => (
            <span class="st" classList={{ ok: v().ok, bad: !v().ok }}>
              <Icon name={v().ok ? "shield" : "warn"} />
              {v().ok ? "signature valid" : "not valid"}
            </span>
          )}
        </Show>
      </h3>
      <Show when={failure(verdict())}>{(message) => <p class="bad-text small">{message()}</p>}</Show>
      <dl class="kv">
        <dt>Session</dt>
        <dd>
          <a class="ell" href={hrefOf({ page: "session", id: props.provenance.session })}>
            {props.provenance.session}
          </a>
        </dd>
        <dt>Model</dt>
        <dd>
          <span class="ell">{props.provenance.model}</span>
        </dd>
        <dt>Revision</dt>
        <dd>{props.provenance.revision}</dd>
        <dt>sha256</dt>
        <dd class="mono">
          {`${props.provenance.sha256.slice(0, 4)} ${props.provenance.sha256.slice(4, 8)} … ${props.provenance.sha256.slice(-4)}`}
          <button class="b ic s" aria-label="Copy SHA-256" onClick={copy}>
            <Icon name="copy" />
          </button>
        </dd>
        <dt>Key</dt>
        <dd class="mono">{props.provenance.keyFingerprint}</dd>
        <dt>Signed</dt>
        <dd>{dateTime(Date.parse(props.provenance.at))}</dd>
      </dl>
      <button class="b s line" disabled={busy()} onClick={() => void verify()}>
        <Icon name="shield" />
        {busy() ? "Verifying" : "Verify"}
      </button>
    </>
  );
}

function failure(verdict: Verified | undefined): string | undefined {
  if (verdict === undefined || verdict.ok) return undefined;
  const words = {
    changed: "Bytes changed",
    foreign_key: "Foreign key",
    bad_signature: "Statement changed",
    missing_check: "Not passed by the gate",
    unreachable: "Could not be checked",
    unsupported: "Could not be checked",
  };
  return `${words[verdict.error]}: ${verdict.message}.`;
}
