/** Marks a switch over a union as total: a new member makes this call a type error. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** Throws a bug (never an outcome) when an invariant of our own code does not hold. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}
