/**
 * tools: the catalogue and the way a call goes: find, parse, validate, permit, run, cap. One tool a file. Refuses to
 * know: how an artifact or a plan is kept; it works through ports.
 */
export { ARGS_MAX_CHARS, parseArguments, type ParsedArguments } from "./arguments.ts";
export { createToolRunner, type ToolRunnerOptions } from "./runner.ts";
export { validate, type Validation } from "./validate.ts";
