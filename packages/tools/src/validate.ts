import type { JsonSchema } from "@swarm/protocol";
import { isObject } from "@swarm/std";

/**
 * Checks a tool's arguments against the subset of JSON Schema that declarations use, and repairs what can mean only
 * one thing: "3" for 3, "true" for true, one value for a list of one. Our own because a general validator costs the
 * daemon 13 MiB of memory, and because the answer to a model is one short error about one field.
 */
export type Validation =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly repaired: readonly string[] }
  | { readonly ok: false; readonly path: string; readonly problem: string; readonly schema: JsonSchema | undefined };

class Refused extends Error {
  readonly path: string;
  readonly problem: string;
  readonly schema: JsonSchema | undefined;
  constructor(path: string, problem: string, schema: JsonSchema | undefined) {
    super(problem);
    this.path = path;
    this.problem = problem;
    this.schema = schema;
  }
}

export function validate(schema: JsonSchema, value: unknown): Validation {
  const repaired: string[] = [];
  try {
    const checked = check(schema, value, "", repaired);
    return { ok: true, value: checked as Record<string, unknown>, repaired };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, path: error.path, problem: error.problem, schema: error.schema };
    throw error;
  }
}

function check(schema: JsonSchema, value: unknown, path: string, repaired: string[]): unknown {
  const options = schema["enum"] as readonly unknown[] | undefined;
  if (options !== undefined) return checkEnum(options, value, path, repaired, schema);
  switch (schema["type"]) {
    case "object":
      return checkObject(schema, value, path, repaired);
    case "array":
      return checkArray(schema, value, path, repaired);
    case "string":
      return checkString(schema, value, path, repaired);
    case "integer":
    case "number":
      return checkNumber(schema, value, path, repaired);
    case "boolean": {
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "false") {
        repaired.push(`${path}: text "${value}" read as ${value}`);
        return value === "true";
      }
      throw new Refused(path, `must be true or false, not ${kindOf(value)}`, schema);
    }
    default:
      return value;
  }
}

function checkObject(schema: JsonSchema, value: unknown, path: string, repaired: string[]): Record<string, unknown> {
  if (!isObject(value)) throw new Refused(path, `must be an object, not ${kindOf(value)}`, schema);
  const properties = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name] !== undefined ? name : Object.keys(properties).find((p) => flat(p) === flat(name) && !(p in value));
    if (known === undefined) throw new Refused(join(path, name), `is not a field here; the fields are ${Object.keys(properties).join(", ")}`, undefined);
    if (known !== name) repaired.push(`${join(path, name)}: read as ${known}`);
    if (member === null && !((schema["required"] ?? []) as readonly string[]).includes(known)) {
      repaired.push(`${join(path, known)}: null left out`);
      continue;
    }
    out[known] = check(properties[known]!, member, join(path, known), repaired);
  }
  for (const name of (schema["required"] ?? []) as readonly string[]) {
    if (!(name in out)) throw new Refused(join(path, name), "is missing", properties[name]);
  }
  return out;
}

function checkArray(schema: JsonSchema, value: unknown, path: string, repaired: string[]): unknown[] {
  const items = (schema["items"] ?? {}) as JsonSchema;
  let list = value;
  if (!Array.isArray(list)) {
    if (list === undefined || list === null || typeof list === "boolean") throw new Refused(path, `must be a list, not ${kindOf(list)}`, schema);
    repaired.push(`${path}: one value read as a list of one`);
    list = [list];
  }
  const max = schema["maxItems"] as number | undefined;
  const array = list as unknown[];
  if (max !== undefined && array.length > max) throw new Refused(path, `has ${array.length} entries, the limit is ${max}`, schema);
  return array.map((item, i) => check(items, item, `${path}[${i}]`, repaired));
}

function checkString(schema: JsonSchema, value: unknown, path: string, repaired: string[]): string {
  let text: string;
  if (typeof value === "string") text = value;
  else if (typeof value === "number" || typeof value === "boolean") {
    repaired.push(`${path}: ${String(value)} read as text`);
    text = String(value);
  } else throw new Refused(path, `must be text, not ${kindOf(value)}`, schema);
  const max = schema["maxLength"] as number | undefined;
  const min = schema["minLength"] as number | undefined;
  if (max !== undefined && text.length > max) throw new Refused(path, `has ${text.length} characters, the limit is ${max}`, schema);
  if (min !== undefined && text.length < min) throw new Refused(path, "must not be empty", schema);
  return text;
}

function checkNumber(schema: JsonSchema, value: unknown, path: string, repaired: string[]): number {
  let number = value;
  if (typeof number === "string" && number.trim() !== "" && Number.isFinite(Number(number))) {
    repaired.push(`${path}: text "${number}" read as a number`);
    number = Number(number);
  }
  if (typeof number !== "number" || !Number.isFinite(number)) throw new Refused(path, `must be a number, not ${kindOf(value)}`, schema);
  if (schema["type"] === "integer" && !Number.isInteger(number)) throw new Refused(path, `must be a whole number, not ${number}`, schema);
  const min = schema["minimum"] as number | undefined;
  if (min !== undefined && number < min) throw new Refused(path, `must be at least ${min}, not ${number}`, schema);
  return number;
}

function checkEnum(options: readonly unknown[], value: unknown, path: string, repaired: string[], schema: JsonSchema): unknown {
  if (options.includes(value)) return value;
  const close = typeof value === "string" ? options.find((o) => typeof o === "string" && flat(o) === flat(value)) : undefined;
  if (close === undefined) throw new Refused(path, `must be one of ${options.join(", ")}, not ${typeof value === "string" ? `"${value.slice(0, 40)}"` : kindOf(value)}`, schema);
  repaired.push(`${path}: "${String(value)}" read as "${String(close)}"`);
  return close;
}

function flat(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value === "string" ? "text" : value === undefined ? "nothing" : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
}
