import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NODES, type NodeSpec } from "@swarm/protocol/nodes";

/** The benchmark contract: the original's six fields, one versioned file, hashed into every report. */
const CONTRACT_TEXT = readFileSync(join(import.meta.dirname, "../../standard-benchmark-contract.json"), "utf8");
const CONTRACT = JSON.parse(CONTRACT_TEXT) as { readonly prompt_brief: string };

export const CONTRACT_SHA256 = createHash("sha256").update(CONTRACT_TEXT).digest("hex");
export const CONTRACT_JSON = CONTRACT_TEXT;

/** The whole task of one card, made from the contract and the node and nothing else. */
export function briefFor(node: NodeSpec): string {
  return `Build the dashboard card for node ${node.id}: ${node.name}.
Domain: ${node.domain}
Part: ${node.part}
Reading: ${node.reading}
Unit: ${node.unit}

${CONTRACT.prompt_brief.replace("[DOMAIN_NAME]", `${node.name} (${node.domain})`)}

Contract:
${CONTRACT_TEXT.trim()}`;
}

/** The nodes of a tier, in catalogue order; a tier above 100 starts over. */
export function nodesFor(sessions: number): readonly NodeSpec[] {
  return Array.from({ length: sessions }, (_, i) => NODES[i % NODES.length]!);
}
