/** What a card is about, as the brief says it. */
export interface CardSubject {
  /** Three digits. */
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** What the node watches. */
  readonly part: string;
  /** What the number is. */
  readonly reading: string;
  readonly unit: string;
}
