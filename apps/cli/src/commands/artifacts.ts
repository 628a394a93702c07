import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { verifyProvenance, type ArtifactRow, type Provenance } from "@swarm/protocol";
import { AppError, isId } from "@swarm/std";
import { connect } from "../client.ts";
import { age, dim, green, plain, print, printJson, red, table, yellow } from "../output.ts";
import { flags, usage, type Command } from "./command.ts";

/** Written beside an exported file: the signed statement and the key that signed it. */
interface Sidecar {
  readonly provenance: Provenance;
  readonly publicKey: string;
}
const sidecarPath = (file: string): string => `${file}.provenance.json`;

export const artifacts: Command = {
  name: "artifacts",
  usage: "artifacts [ID] [--out FILE] [--revision N]",
  what: "List artifacts, show one, or write it to a file with its provenance beside it.",
  async run(args, { json }) {
    const { values, positionals } = flags("artifacts", args, { out: { type: "string" }, revision: { type: "string" } });
    const { api } = connect();
    const [id] = positionals;
    if (id === undefined) {
      const items: ArtifactRow[] = [];
      for (let after: string | undefined; ;) {
        const page = await api.artifacts({ limit: 200, ...(after === undefined ? {} : { after }) });
        items.push(...page.items);
        if (page.next === null) break;
        after = page.next;
      }
      if (json) printJson(items);
      else if (items.length === 0) print("No artifacts yet.");
      else
        print(
          table([
            ["ID", "STATE", "GATE", "REV", "SIZE", "TITLE", "AGE"].map(dim),
            ...items.map((a) => [
              a.id,
              a.state,
              verdict(a.verdict),
              String(a.revision),
              `${(a.bytes / 1024).toFixed(1)} KB`,
              plain(a.title, 44),
              age(Date.now() - a.updatedAt),
            ]),
          ]),
        );
      return 0;
    }
    const detail = await api.artifact(id);
    if (values.out !== undefined) {
      const content = await api.artifactContent(
        id,
        values.revision === undefined ? undefined : Number(values.revision),
      );
      writeFileSync(values.out, content);
      if (detail.provenance !== null) {
        const { publicKey } = await api.signingKey();
        writeFileSync(
          sidecarPath(values.out),
          `${JSON.stringify({ provenance: detail.provenance, publicKey } satisfies Sidecar, null, 1)}\n`,
        );
      }
      if (json) printJson({ ok: true, file: values.out, signed: detail.provenance !== null });
      else
        print(
          `wrote ${values.out}${detail.provenance === null ? " (not published: unsigned)" : ` and ${basename(sidecarPath(values.out))}`}`,
        );
      return 0;
    }
    if (json) printJson(detail);
    else {
      print(
        `${plain(detail.title)} ${dim(`${detail.id} revision ${detail.revision}, ${detail.state}, ${verdict(detail.verdict)}`)}`,
      );
      for (const stage of detail.report?.stages ?? []) {
        print(
          dim(
            `${stage.stage}: ${stage.verdict}${stage.reason ? `, ${stage.reason}` : ""}, ${stage.durationMs.toFixed(0)} ms`,
          ),
        );
        for (const f of stage.findings)
          print(`  ${f.ok ? green("✓") : red("✗")} ${f.check} ${dim(plain(f.message, 110))}`);
      }
    }
    return 0;
  },
};

function verdict(v: ArtifactRow["verdict"]): string {
  return v === "verified"
    ? green("verified")
    : v === "static_only"
      ? yellow("static only")
      : v === "rejected"
        ? red("rejected")
        : dim("not checked");
}

export const verify: Command = {
  name: "verify",
  usage: "verify FILE|ID [--key FILE]",
  what: "Check a published artifact against its signature: offline for a file, against the daemon for an id.",
  details:
    "A file needs its .provenance.json beside it (swarm artifacts ID --out FILE writes both).\n--key FILE: the public key to trust (base64); default the running daemon's, else the one in the sidecar, and it says which.",
  async run(args, { json }) {
    const { values, positionals } = flags("verify", args, { key: { type: "string" } });
    const [what] = positionals;
    if (what === undefined) throw usage("verify", "name a file or an artifact id");
    const subject = isId("art", what) && !existsSync(what) ? await fromDaemon(what) : fromFile(what);
    const trusted = await trustedKey(values.key, subject.publicKey);
    const result = await verifyProvenance(
      subject.bytes,
      subject.provenance,
      new Uint8Array(Buffer.from(trusted.key, "base64")),
    );
    if (json) printJson({ ...result, trusted: trusted.from, provenance: subject.provenance });
    else if (result.ok) {
      const p = subject.provenance;
      print(
        `${green("✓")} ${p.artifact} revision ${p.revision}: unchanged, signed by ${p.keyFingerprint} ${dim(`(${trusted.from})`)}`,
      );
      print(
        dim(
          `  ${p.checks.verdict === "verified" ? "verified in a browser" : "static gate only"}, ${p.checks.passed} checks passed; session ${p.session}, model ${p.model}, ${p.at}`,
        ),
      );
    } else print(`${red("✗")} ${result.error}: ${result.message}`);
    return result.ok ? 0 : 1;
  },
};

function fromFile(file: string): { bytes: Uint8Array; provenance: Provenance; publicKey: string } {
  if (!existsSync(file))
    throw new AppError("not_found", `Name an existing file or an artifact id: there is no '${file}'.`);
  if (!existsSync(sidecarPath(file)))
    throw new AppError(
      "not_found",
      `Export it with 'swarm artifacts ID --out FILE': ${sidecarPath(file)} is missing, so nothing says who signed it.`,
    );
  try {
    const sidecar = JSON.parse(readFileSync(sidecarPath(file), "utf8")) as Sidecar;
    if (typeof sidecar.provenance?.signature !== "string" || typeof sidecar.publicKey !== "string")
      throw new Error("a field is missing");
    return { bytes: readFileSync(file), ...sidecar };
  } catch (error) {
    throw new AppError(
      "bad_request",
      `Export the artifact again: ${sidecarPath(file)} is not a provenance file (${(error as Error).message}).`,
    );
  }
}

async function fromDaemon(id: string): Promise<{ bytes: Uint8Array; provenance: Provenance; publicKey: string }> {
  const { api } = connect();
  const detail = await api.artifact(id);
  if (detail.provenance === null)
    throw new AppError("invalid_state", `Publish it first: ${id} has no signature, its state is ${detail.state}.`);
  const content = await api.artifactContent(id, detail.provenance.revision);
  return {
    bytes: new TextEncoder().encode(content),
    provenance: detail.provenance,
    publicKey: (await api.signingKey()).publicKey,
  };
}

async function trustedKey(file: string | undefined, sidecarKey: string): Promise<{ key: string; from: string }> {
  if (file !== undefined) return { key: readFileSync(file, "utf8").trim(), from: `key of ${file}` };
  try {
    return { key: (await connect().api.signingKey()).publicKey, from: "this daemon's key" };
  } catch {
    return { key: sidecarKey, from: "the key in the sidecar: it proves the file is unchanged, not who made it" };
  }
}
