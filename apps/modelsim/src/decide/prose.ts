/** Plain answers: for questions, for tasks that are not cards, and the words around tool calls. */

/** First sentence or line of a text, at most `max` characters, never cut inside a word. */
export function headline(text: string, max: number): string {
  const first = text.trim().split(/\n|(?<=[.?!])\s/)[0] ?? "";
  if (first.length <= max) return first;
  const cut = first.slice(0, max - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), max / 2))}…`;
}

/** `17 + 4`, `3 * 12`: the one kind of question that can be answered for certain. */
function sum(text: string): string | undefined {
  const m = /(-?\d+(?:\.\d+)?)\s*([-+*×/÷])\s*(-?\d+(?:\.\d+)?)/.exec(text);
  if (!m) return undefined;
  const [a, b] = [Number(m[1]), Number(m[3])];
  const value =
    m[2] === "+" ? a + b : m[2] === "-" ? a - b : m[2] === "*" || m[2] === "×" ? a * b : b === 0 ? Number.NaN : a / b;
  return Number.isFinite(value)
    ? `${m[1]} ${m[2]} ${m[3]} = ${Number(value.toPrecision(12))}`
    : `${m[0]} has no value.`;
}

export function answerQuestion(text: string): string {
  const value = sum(text);
  if (value !== undefined) return value;
  return `You asked: ${headline(text, 200)} I am a simulated model: I plan, build and repair cards, and I can answer from what is in this conversation, but I know nothing beyond it. Ask me for a card, or run a real model for this question.`;
}

export function answerTask(text: string): string {
  const points = text
    .split(/\n+/)
    .map((l) => l.replace(/^[\s*#-]+/, "").trim())
    .filter((l) => l.length > 8)
    .slice(0, 5);
  const list = points.map((p, i) => `${i + 1}. ${headline(p, 160)}`).join("\n");
  return `I read the task as:\n${list || headline(text, 200)}\n\nA simulated model works from the text it is given. Nothing outside this conversation was read or changed; the points above are what a real model would be asked to carry out.`;
}
