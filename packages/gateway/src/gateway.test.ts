import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError, silentLogger, systemClock } from "@swarm/std";
import type { ProviderConfig } from "./config.ts";
import { createGateway } from "./gateway.ts";

const SIM: ProviderConfig = {
  name: "sim",
  wire: "gemini",
  baseURL: "http://127.0.0.1:9/v1beta",
  simulated: true,
  pricedAs: "gemini-3.6-flash",
  models: ["perfect", "ordinary"],
};
const gateway = (env: Record<string, string> = {}) =>
  createGateway({ providers: [SIM], env, clock: systemClock, random: Math.random, logger: silentLogger });

test("an unknown provider and an empty model name are refused with what there is", () => {
  for (const id of ["nope/x", "x", "", "/x", "sim/", "sim/*", "toString/x"]) {
    assert.throws(
      () => gateway().resolve(id),
      (e) => isAppError(e) && e.code === "model_unknown" && /sim/.test(e.message),
      id,
    );
  }
  assert.equal(gateway().resolve("sim/perfect").id, "sim/perfect");
  assert.equal(gateway().resolve("ollama/org/model:7b").id, "ollama/org/model:7b");
});

test("a missing key is provider_auth and names the variables; a set one is taken, and never shown", () => {
  assert.throws(
    () => gateway().resolve("google/gemini-3.6-flash"),
    (e) => isAppError(e) && e.code === "provider_auth" && /GEMINI_API_KEY or GOOGLE_API_KEY/.test(e.message),
  );
  const keyed = gateway({ GOOGLE_API_KEY: "secret-value-1" });
  assert.equal(keyed.resolve("google/gemini-3.6-flash").id, "google/gemini-3.6-flash");
  assert.ok(!JSON.stringify([keyed.models(), keyed.stats(), keyed.resolve("google/x")]).includes("secret-value-1"));
});

test("models() lists what can be used and why not", () => {
  const models = gateway({ OPENAI_API_KEY: "k" }).models();
  assert.deepEqual(
    models.find((m) => m.id === "sim/perfect"),
    { id: "sim/perfect", provider: "sim", simulated: true, available: true, reason: "" },
  );
  assert.equal(models.find((m) => m.provider === "openai")?.available, true);
  assert.deepEqual(
    models.find((m) => m.provider === "google")?.reason,
    "set GEMINI_API_KEY or GOOGLE_API_KEY in the daemon's environment",
  );
  assert.ok(models.some((m) => m.id === "ollama/*" && m.available));
});

test("addresses follow the environment; a broken one is a bad_request", () => {
  assert.throws(
    () =>
      createGateway({
        providers: [{ ...SIM, baseURL: "not a url" }],
        env: {},
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
      }),
    (e) => isAppError(e) && e.code === "bad_request",
  );
});
