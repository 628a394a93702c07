/** Something wrong at a place; the checks turn the first few of a kind into one finding. */
export interface Fault {
  readonly check: string;
  readonly message: string;
  readonly fix: string;
  /** Offset in the whole document. */
  readonly offset?: number;
}
