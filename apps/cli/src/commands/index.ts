import { artifacts, verify } from "./artifacts.ts";
import { bench } from "./bench.ts";
import type { Command } from "./command.ts";
import { doctor } from "./doctor.ts";
import { run } from "./run.ts";
import { answer, cancel, sessions } from "./sessions.ts";
import { status } from "./status.ts";
import { down, up } from "./up.ts";

export type { Command } from "./command.ts";

export const COMMANDS: readonly Command[] = [
  up,
  down,
  status,
  run,
  sessions,
  answer,
  cancel,
  artifacts,
  verify,
  doctor,
  bench,
];
