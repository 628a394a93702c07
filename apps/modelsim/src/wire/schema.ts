import { isObject } from "@swarm/std";

/** Gemini's own schema dialect writes `STRING`, `OBJECT`: lower-cased here, all else as sent. */
export function lowerTypes(schema: unknown): Record<string, unknown> {
  return isObject(schema) ? (lower(schema) as Record<string, unknown>) : {};
}

function lower(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lower);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [
      key,
      key === "type" && typeof v === "string" ? v.toLowerCase() : lower(v),
    ]),
  );
}
