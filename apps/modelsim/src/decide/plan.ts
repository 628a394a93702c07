import type { CardSubject } from "../card/subject.ts";

/** Arguments of the first plan. */
export function planArgs(subject: CardSubject): Record<string, unknown> {
  return {
    action: "set",
    goal: `Deliver the card of node ${subject.id}, ${subject.name}: ${subject.reading}`,
    decisions: [
      "One self-contained HTML document with one canvas for the picture and one for the trace",
      "Every frame is a function of the instant alone",
    ],
    constraints: ["No network, no outside font or image", "All parts visible at 640 × 400 and 1920 × 1080"],
    success_criteria: [
      "swarm.animation/v1 holds: ready() and seek(ms)",
      "swarm.data/v1 readings change picture and text",
      "The gate passes",
    ],
    checkpoints: [
      {
        id: "build",
        title: "Frame, data and drawing",
        subtasks: [
          { id: "layout", title: "Header, readout, stage, figures and legend" },
          { id: "picture", title: `The picture of ${subject.part.slice(0, 80)}` },
          { id: "hooks", title: "Animation hook and live data channel" },
        ],
      },
      {
        id: "gate",
        title: "Publish and pass the gate",
        subtasks: [
          { id: "publish", title: "Publish the first revision" },
          { id: "checks", title: "Repair what the gate names" },
        ],
      },
    ],
  };
}

/** Ids of every checkpoint and subtask in plan arguments. */
export function planIds(args: Readonly<Record<string, unknown>>): string[] {
  const checkpoints = Array.isArray(args["checkpoints"])
    ? (args["checkpoints"] as readonly Record<string, unknown>[])
    : [];
  return checkpoints.flatMap((c) => {
    const subtasks = Array.isArray(c["subtasks"]) ? (c["subtasks"] as readonly Record<string, unknown>[]) : [];
    return [...subtasks.map((t) => String(t["id"])), String(c["id"])];
  });
}
