/** Fits arguments to a tool's declared schema: unknown members go, required ones that are missing get a plain value. */
import { isObject } from "@swarm/std";

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  content: ["content", "html", "body", "source", "document", "text"],
  title: ["title", "name"],
  outcome: ["outcome", "state", "status"],
  overview: ["overview", "summary"],
  result: ["result", "details"],
};

function plain(schema: unknown): unknown {
  if (!isObject(schema)) return "none";
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return schema["enum"][0];
  switch (schema["type"]) {
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return conform({}, schema);
    default:
      return "none";
  }
}

export function conform(
  args: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = schema["properties"];
  if (!isObject(properties)) return { ...args };
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const target = name in properties ? name : (ALIASES[name] ?? []).find((alias) => alias in properties);
    if (target === undefined || target in out) continue;
    const member = properties[target];
    const choices = isObject(member) ? member["enum"] : undefined;
    out[target] = Array.isArray(choices) && !choices.includes(value) ? choices[0] : value;
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const name of required) if (typeof name === "string" && !(name in out)) out[name] = plain(properties[name]);
  return out;
}
