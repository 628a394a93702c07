import { createHash } from "node:crypto";
import type { CheckReport, CheckStage } from "@swarm/protocol";
import { assembleReport, checkManifest, checkStatic, parseDocument } from "@swarm/artifact/check";
import type { BrowserHost } from "./browser/host.ts";
import type { WireStill } from "./protocol.ts";
import { checkRuntime, notRun } from "./runtime/check-runtime.ts";

export interface CheckInput {
  readonly html: string;
  readonly stages: readonly ("static" | "runtime")[];
}

/**
 * The stages in order. A document that fails the static stage is not run: its faults are known, and the time of the
 * browser is scarce. `host` is undefined where the runtime stage is switched off.
 */
export async function check(
  input: CheckInput,
  host: BrowserHost | undefined,
  signal: AbortSignal,
): Promise<{ report: CheckReport; stills: WireStill[] }> {
  const sha256 = createHash("sha256").update(input.html).digest("hex");
  const stages: CheckStage[] = [];
  // always run: without it the document cannot be `static_only`, and the runtime stage needs its manifest
  const first = checkStatic(input.html);
  stages.push(first);
  if (!input.stages.includes("runtime")) return { report: assembleReport(sha256, stages), stills: [] };
  const { manifest } = checkManifest(parseDocument(input.html));
  if (first.verdict === "failed" || manifest === undefined) {
    stages.push(notRun("the static stage failed"));
    return { report: assembleReport(sha256, stages), stills: [] };
  }
  if (host === undefined) {
    stages.push(notRun(SWITCHED_OFF));
    return { report: assembleReport(sha256, stages), stills: [] };
  }
  const { stage, stills, figures } = await checkRuntime(host, input.html, manifest, signal);
  stages.push(stage);
  const report = assembleReport(sha256, stages);
  return {
    report: stage.verdict === "not_run" ? report : { ...report, card: figures },
    stills: stills.map(({ png, ...rest }) => ({ ...rest, png: png.toString("base64") })),
  };
}

export const SWITCHED_OFF = "the runtime gate is switched off";
