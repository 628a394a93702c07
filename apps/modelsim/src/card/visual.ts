/** One way to draw a reading. */
export interface Visual {
  readonly name: string;
  /** What the colours mean: main, second, mark. */
  readonly legend: readonly [string, string, string];
  /** Describes the picture to a reader who does not see it. */
  readonly alt: string;
  /** Constants of one card, from its own random numbers: what makes two cards of one kind differ. */
  parameters(random: () => number): Readonly<Record<string, number | string>>;
  /** `function draw(g, w, h, t, r)`: a pure function of `t` (seconds) and the reading `r`. */
  readonly code: string;
}

export function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

export function real(random: () => number, low: number, high: number): number {
  return Number((low + random() * (high - low)).toFixed(3));
}
