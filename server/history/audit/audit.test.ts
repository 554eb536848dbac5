import { expect, it } from "vitest";
import { InvalidError } from "../../errors/request-errors.ts";
import { Audit, type AuditedCall, DETAILS_BYTES_MAX } from "./audit.ts";
import type { NewIntent } from "./audit-log.ts";
import { describeReplacement } from "./describe-change.ts";

const CALL: AuditedCall = {
  requestId: "r",
  who: { kind: "key", id: "root", name: "key:root", verbs: ["admin"] },
  from: {},
};

function createAudit() {
  const written: NewIntent[] = [];
  const audit = new Audit({
    begin: async (intent) => void written.push(intent),
    end: () => undefined,
    add: () => undefined,
    stop: async () => undefined,
  });
  return { audit, written };
}

it("details up to the limit are recorded whole, and longer ones are refused before anything happens", async () => {
  const { audit, written } = createAudit();
  const frame = Buffer.byteLength(JSON.stringify({ list: "" }));
  const fits = { list: "锁".repeat(Math.floor((DETAILS_BYTES_MAX - frame) / 3)) };
  await audit.beginAction(CALL, { action: "change", details: fits });
  expect(written).toMatchObject([{ action: "change", details: fits }]);
  const tooLong = { list: `${fits.list}锁` };
  const refused = audit.beginAction(CALL, { action: "change", details: tooLong });
  await expect(refused).rejects.toBeInstanceOf(InvalidError);
  expect(written).toHaveLength(1);
});

it("owners, reasons and what was seen are recorded whole at their longest", async () => {
  const { audit, written } = createAudit();
  const owner = "o".repeat(1024);
  await audit.beginAction(CALL, { action: "change", seen: { owners: [owner] }, reason: "r".repeat(500) });
  expect(written).toMatchObject([{ seen: { owners: [owner] }, reason: "r".repeat(500) }]);
});

it("a replaced list is recorded with all that is new, also where the old one does not fit beside it", () => {
  const before = ["b".repeat(DETAILS_BYTES_MAX)];
  const after = ["a".repeat(DETAILS_BYTES_MAX / 2)];
  const both = describeReplacement(after, ["c"]);
  expect(both).toMatchObject({ before: after, after: ["c"], beforeCount: 1, afterCount: 1 });
  const cut = describeReplacement(before, after);
  expect(cut).toMatchObject({ after, beforeSha256: describeReplacement([], before).afterSha256 });
  expect(cut).not.toHaveProperty("before");
  expect(Object.keys(cut)[0]).toBe("after");
});
