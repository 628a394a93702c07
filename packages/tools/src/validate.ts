import type { JsonSchema } from "@swarm/protocol";
import { isObject } from "@swarm/std";

/**
 * Checks a tool's arguments against the subset of JSON Schema that declarations use, and repairs what can mean only
 * one thing: "3" for 3, "true" for true, JSON text for a structure, one value for a list of one. A field that may be
 * text is never touched. Our own because a general validator costs the daemon 13 MiB of memory, and because the answer
 * to a model is one short error about one field.
 */
export type Validation =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly repaired: readonly string[] }
  | Invalid;
export interface Invalid {
  readonly ok: false;
  readonly path: string;
  readonly problem: string;
  /** Of the failing field; undefined when the field does not exist. */
  readonly schema: JsonSchema | undefined;
}

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

/** The declaration of a field at the top, for an error that names it. */
export function fieldSchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  return propertiesOf(schema)[name];
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
    case "boolean":
      return checkBoolean(schema, value, path, repaired);
    default:
      return value;
  }
}

function checkObject(schema: JsonSchema, sent: unknown, path: string, repaired: string[]): Record<string, unknown> {
  const value = isObject(sent) ? sent : fromText(sent, isObject, path, repaired);
  if (!isObject(value))
    throw new Refused(path, `must be an object, not ${kindOf(sent)}`, path === "" ? undefined : schema);
  const properties = propertiesOf(schema);
  const required = (schema["required"] ?? []) as readonly string[];
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name)
      ? name
      : Object.keys(properties).find((p) => flat(p) === flat(name) && !Object.hasOwn(value, p));
    if (known === undefined) {
      throw new Refused(
        join(path, name.slice(0, 60)),
        `is not a field here; the fields are ${Object.keys(properties).join(", ")}`,
        undefined,
      );
    }
    if (known !== name) repaired.push(`${join(path, name.slice(0, 60))}: read as ${known}`);
    if (member === null && !required.includes(known)) {
      repaired.push(`${join(path, known)}: null left out`);
      continue;
    }
    out[known] = check(properties[known]!, member, join(path, known), repaired);
  }
  for (const name of required) {
    if (!Object.hasOwn(out, name)) throw new Refused(join(path, name), "is missing", properties[name]);
  }
  return out;
}

function checkArray(schema: JsonSchema, sent: unknown, path: string, repaired: string[]): unknown[] {
  const items = (schema["items"] ?? {}) as JsonSchema;
  const parsed = Array.isArray(sent) ? sent : fromText(sent, Array.isArray, path, repaired);
  let list: readonly unknown[];
  if (Array.isArray(parsed)) list = parsed as readonly unknown[];
  else {
    if (sent === null || sent === undefined || sent === "" || typeof sent === "boolean")
      throw new Refused(path, `must be a list, not ${kindOf(sent)}`, schema);
    repaired.push(`${path}: one value read as a list of one`);
    list = [sent];
  }
  const max = schema["maxItems"] as number | undefined;
  if (max !== undefined && list.length > max)
    throw new Refused(path, `has ${list.length} entries, the limit is ${max}`, schema);
  return list.map((item, i) => check(items, item, `${path}[${i}]`, repaired));
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
  if (max !== undefined && text.length > max)
    throw new Refused(path, `has ${text.length} characters, the limit is ${max}`, schema);
  if (min !== undefined && text.length < min) throw new Refused(path, "must not be empty", schema);
  return text;
}

function checkNumber(schema: JsonSchema, value: unknown, path: string, repaired: string[]): number {
  let number = value;
  if (typeof number === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(number)) {
    repaired.push(`${path}: text "${number.slice(0, 40)}" read as a number`);
    number = Number(number);
  }
  if (typeof number !== "number" || !Number.isFinite(number))
    throw new Refused(path, `must be a number, not ${kindOf(value)}`, schema);
  if (schema["type"] === "integer" && !Number.isSafeInteger(number))
    throw new Refused(path, `must be a whole number, not ${number}`, schema);
  const min = schema["minimum"] as number | undefined;
  if (min !== undefined && number < min) throw new Refused(path, `must be at least ${min}, not ${number}`, schema);
  return number;
}

function checkBoolean(schema: JsonSchema, value: unknown, path: string, repaired: string[]): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (word !== "true" && word !== "false")
    throw new Refused(path, `must be true or false, not ${kindOf(value)}`, schema);
  repaired.push(`${path}: text "${word}" read as ${word}`);
  return word === "true";
}

function checkEnum(
  options: readonly unknown[],
  value: unknown,
  path: string,
  repaired: string[],
  schema: JsonSchema,
): unknown {
  if (options.includes(value)) return value;
  const close =
    typeof value === "string" && flat(value) !== ""
      ? options.find((o) => typeof o === "string" && flat(o) === flat(value))
      : undefined;
  if (close === undefined)
    throw new Refused(
      path,
      `must be one of ${options.join(", ")}, not ${typeof value === "string" ? `"${value.slice(0, 40)}"` : kindOf(value)}`,
      schema,
    );
  repaired.push(`${path}: "${String(value).slice(0, 40)}" read as ${JSON.stringify(close)}`);
  return close;
}

/** A structure that came as its JSON text. */
function fromText(value: unknown, fits: (parsed: unknown) => boolean, path: string, repaired: string[]): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    if (!fits(parsed)) return undefined;
    repaired.push(`${path || "arguments"}: JSON in a text read as what it says`);
    return parsed;
  } catch {
    return undefined;
  }
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
}
function flat(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
