/** What the first message asks for, read from its text alone. */
import type { CardSubject } from "../card/subject.ts";
import { hash32 } from "../seeded.ts";

export type Brief =
  | { readonly kind: "card"; readonly subject: CardSubject; readonly text: string }
  | { readonly kind: "question" | "task"; readonly text: string };

function line(text: string, name: string): string | undefined {
  return new RegExp(`^[ \\t*-]*${name}[ \\t]*:[ \\t]*(.+)$`, "im").exec(text)?.[1]?.trim();
}

const WANTS_PICTURE = /\b(card|widget|animation|canvas|dashboard|visuali[sz]\w*|html|web ?page)\b/i;
const WANTS_MAKING = /\b(build|create|make|write|design|produce|draw|publish|deliver)\b/i;

function subjectOf(text: string): CardSubject {
  const node = /\bnode\s*#?\s*(\d{1,3})\b\s*[:.,–—-]?\s*([^\n]*)/i.exec(text);
  const widget =
    /\b(?:widget|card|animation|page|dashboard)\s+(?:for|of|about|showing)\s+(?:the\s+)?([^\n.]{3,80})/i.exec(text);
  const id = node ? node[1]!.padStart(3, "0") : String(101 + (hash32(text) % 899));
  const named = (node?.[2] ?? "").replace(/[.\s]+$/, "");
  const inBrackets = /^(.*?)\s*\(([^)]+)\)\s*$/.exec(widget?.[1] ?? "");
  const name = named || inBrackets?.[1] || widget?.[1]?.trim() || "System Telemetry";
  return {
    id,
    name: name.slice(0, 60),
    domain: line(text, "domain") ?? inBrackets?.[2] ?? "Telemetry",
    part: line(text, "part") ?? name,
    reading: line(text, "reading") ?? "current level",
    unit: line(text, "unit") ?? "",
  };
}

export function readBrief(text: string): Brief {
  if (WANTS_PICTURE.test(text) && (WANTS_MAKING.test(text) || /swarm\.animation/.test(text)))
    return { kind: "card", subject: subjectOf(text), text };
  return {
    kind:
      /\?\s*$/.test(text.trim()) || /^\s*(what|why|how|who|when|where|which|is|are|can|does|do)\b/i.test(text)
        ? "question"
        : "task",
    text,
  };
}
