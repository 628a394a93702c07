/**
 * Functions that run inside the card's page: sent there as text, so they use nothing from here. What they answer is
 * the card's own word; what a picture shows is judged outside, on the browser's frames.
 */
export interface Gate {
  costs: number[];
  frames: number;
  firstFrameAt: number;
  lastFrameAt: number;
  node: unknown;
}

/** Before any script of the card: measures frame callbacks and hears the card say that it takes data. */
export function install(): void {
  const gate: Gate = { costs: [], frames: 0, firstFrameAt: 0, lastFrameAt: 0, node: undefined };
  Object.defineProperty(globalThis, Symbol.for("swarm.gate"), { value: gate });
  const request = globalThis.requestAnimationFrame.bind(globalThis);
  const now = performance.now.bind(performance);
  globalThis.requestAnimationFrame = (callback) =>
    request((at) => {
      const started = now();
      try {
        callback(at);
      } finally {
        gate.costs.push(now() - started);
        if (gate.lastFrameAt !== at) gate.frames++;
        if (gate.firstFrameAt === 0) gate.firstFrameAt = at;
        gate.lastFrameAt = at;
      }
    });
  globalThis.addEventListener("message", (event: MessageEvent<{ type?: unknown; node?: unknown } | null>) => {
    if (event.data?.type === "swarm.data/v1/ready") gate.node = event.data.node;
  });
}

export interface ReadyAnswer {
  readonly problem: string | undefined;
  readonly answer: string;
}

export async function askReady(limitMs: number): Promise<ReadyAnswer> {
  const hook = (globalThis as Record<string, unknown>)["__SWARM_ANIMATION_V1__"] as
    | { version?: unknown; ready?: () => unknown; seek?: unknown }
    | undefined;
  if (typeof hook !== "object" || hook === null) return { problem: "missing", answer: "" };
  if (!Object.isFrozen(hook)) return { problem: "not frozen", answer: "" };
  if (hook.version !== "swarm.animation/v1") return { problem: "version", answer: String(hook.version) };
  if (typeof hook.ready !== "function" || typeof hook.seek !== "function") return { problem: "members", answer: "" };
  const late = new Promise((resolve) => setTimeout(() => resolve(undefined), limitMs));
  try {
    const answer = await Promise.race([hook.ready(), late]);
    return answer === undefined
      ? { problem: "late", answer: "" }
      : { problem: undefined, answer: JSON.stringify(answer) };
  } catch (error) {
    return { problem: "threw", answer: String(error) };
  }
}

export async function seekTo(input: { ms: number; limitMs: number }): Promise<{ answer: string; dataset: string }> {
  const hook = (globalThis as Record<string, unknown>)["__SWARM_ANIMATION_V1__"] as { seek(ms: number): unknown };
  const late = new Promise((resolve) => setTimeout(() => resolve("no answer"), input.limitMs));
  let answer: unknown;
  try {
    answer = await Promise.race([hook.seek(input.ms), late]);
  } catch (error) {
    answer = `threw ${String(error)}`;
  }
  return {
    answer: JSON.stringify(answer) ?? "undefined",
    dataset: document.documentElement.dataset["swarmAnimationTimeMs"] ?? "",
  };
}

export function liveFigures(): { costs: number[]; fps: number } {
  const gate = (globalThis as unknown as Record<symbol, Gate>)[Symbol.for("swarm.gate")] as Gate;
  const span = gate.lastFrameAt - gate.firstFrameAt;
  return { costs: gate.costs, fps: span > 0 ? ((gate.frames - 1) * 1000) / span : 0 };
}

/** In the embedder: what the card said when it was ready to take data. */
export function announcedNode(): unknown {
  return ((globalThis as unknown as Record<symbol, Gate>)[Symbol.for("swarm.gate")] as Gate).node;
}

/** In the embedder: a message to the card, from its parent. */
export function postToCard(message: unknown): void {
  globalThis.frames[0]?.postMessage(message, "*");
}

/** In the embedder: the same message, but from another window, as a stranger's frame would send it. */
export function postAsStranger(message: unknown): void {
  const stranger = document.createElement("iframe");
  stranger.style.display = "none";
  document.body.append(stranger);
  const text = JSON.stringify(message).replaceAll("<", "\\u003c");
  stranger.srcdoc = `<script>parent.frames[0].postMessage(${text}, "*")</script>`;
}

/** Beside the card's world: its text, once what was sent has been drawn. */
export async function shownText(waitMs: number): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return document.body.innerText;
}

/** Beside the card's world: regions that are not fully inside the viewport, in words. */
export function hiddenRegions(tags: string): string[] {
  const problems: string[] = [];
  // by the prototype's methods: an element's name or id can stand in for a member of the document or of a form
  for (const element of Document.prototype.querySelectorAll.call(document, tags)) {
    if (element.tagName !== "MAIN" && element.id === "") continue;
    const box = Element.prototype.getBoundingClientRect.call(element);
    const seen = Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
    const name = `#${element.id} (${element.tagName.toLowerCase()})`;
    if (box.width < 1 || box.height < 1 || !seen) problems.push(`${name} is not visible`);
    else if (box.left < -2 || box.top < -2 || box.right > innerWidth + 2 || box.bottom > innerHeight + 2)
      problems.push(
        `${name} spans ${Math.round(box.left)},${Math.round(box.top)} to ${Math.round(box.right)},${Math.round(box.bottom)}`,
      );
  }
  return problems;
}

/** Beside the card's world: leaves out what is marked as no part of the picture, and lets the page draw. */
export async function settle(): Promise<void> {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("[data-swarm-capture-ui] { visibility: hidden !important; }");
  document.adoptedStyleSheets = [sheet];
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
