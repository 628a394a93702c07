import assert from "node:assert/strict";
import { test } from "node:test";
import { Credit } from "./credit.ts";

const MIB = 1024 * 1024;

test("nine mebibytes without an acknowledgement exhaust it; naming the newest seq stands for all that was sent", () => {
  const credit = new Credit();
  for (let i = 1; i <= 8; i++) credit.sent(MIB, i);
  assert.equal(credit.exhausted, false);
  credit.sent(MIB, 0);
  assert.equal(credit.exhausted, true);
  credit.ack(8);
  assert.equal(credit.exhausted, false);
  assert.equal(credit.ackedBytes, credit.sentBytes);
});

test("an older seq stands for the bytes up to the message that carried it, and no more", () => {
  const credit = new Credit();
  for (let i = 1; i <= 10; i++) credit.sent(MIB, i * 10);
  credit.ack(39);
  assert.equal(credit.ackedBytes, 3 * MIB);
  credit.ack(40);
  assert.equal(credit.ackedBytes, 4 * MIB);
  credit.ack(5);
  assert.equal(credit.ackedBytes, 4 * MIB, "a seq that goes back changes nothing");
  credit.ack(100);
  assert.equal(credit.ackedBytes, 10 * MIB);
});

test("very many small messages are attributed with a coarse grain, never too early", () => {
  const credit = new Credit();
  for (let seq = 1; seq <= 10_000; seq++) credit.sent(500, seq);
  credit.ack(5_000);
  assert.ok(credit.ackedBytes <= 5_000 * 500 && credit.ackedBytes > 5_000 * 500 - 128 * 1024, `${credit.ackedBytes}`);
  credit.ack(10_000);
  assert.equal(credit.ackedBytes, credit.sentBytes);
});
