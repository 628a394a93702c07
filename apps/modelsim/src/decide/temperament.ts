/** How a simulated model behaves. The model's name picks one. */
import { AppError } from "@swarm/std";

/** Share of cards (0–1) whose first try has this fault. They exclude each other: the sum is the share of faulty cards. */
export interface FaultRates {
  readonly invalidPlanJson: number;
  readonly invalidArtifactJson: number;
  readonly missingHook: number;
  readonly externalFont: number;
  readonly mathRandom: number;
}

export interface Temperament {
  /**
   * `worker` does the task; `conversational` answers in markdown until it is told to call the tool; `stubborn` repeats
   * a failing call for ever; `looper` repeats a call that succeeds; `fumbler` fails each time with other arguments.
   */
  readonly kind: "worker" | "conversational" | "stubborn" | "looper" | "fumbler";
  readonly rates: FaultRates;
}

const NONE: FaultRates = { invalidPlanJson: 0, invalidArtifactJson: 0, missingHook: 0, externalFont: 0, mathRandom: 0 };

export const BUILT_IN_TEMPERAMENTS: Readonly<Record<string, Temperament>> = {
  perfect: { kind: "worker", rates: NONE },
  ordinary: {
    kind: "worker",
    rates: { invalidPlanJson: 0.04, invalidArtifactJson: 0.07, missingHook: 0.07, externalFont: 0.07, mathRandom: 0 },
  },
  conversational: { kind: "conversational", rates: NONE },
  stubborn: { kind: "stubborn", rates: NONE },
  looper: { kind: "looper", rates: NONE },
  fumbler: { kind: "fumbler", rates: NONE },
};

export function parseRates(value: Readonly<Record<string, unknown>>, base: FaultRates): FaultRates {
  const rates: Record<string, number> = { ...base };
  for (const [name, rate] of Object.entries(value)) {
    if (!(name in NONE))
      throw new AppError("bad_request", `scenario: unknown rate "${name}" (known: ${Object.keys(NONE).join(", ")})`, {
        retry: "after-fix",
      });
    if (typeof rate !== "number" || rate < 0 || rate > 1)
      throw new AppError("bad_request", `scenario: rate ${name} must be between 0 and 1`, { retry: "after-fix" });
    rates[name] = rate;
  }
  return { ...NONE, ...rates };
}

export type FirstFault = keyof FaultRates | "none";

/** The fault of a first try: `roll` in [0, 1) against the rates laid end to end. */
export function faultFor(rates: FaultRates, roll: number): FirstFault {
  let edge = 0;
  for (const [name, rate] of Object.entries(rates) as [keyof FaultRates, number][]) {
    edge += rate;
    if (roll < edge) return name;
  }
  return "none";
}
