import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ERROR_CODES } from "@/lib/contract/error.ts";
import { auditNames } from "@/lib/i18n/en/audit-names.ts";
import { findAuditName } from "./audit-texts.ts";

const ROUTES = new URL("../../server/api/", import.meta.url);

it("every action that a route audits has a name", () => {
  const sources = readdirSync(ROUTES, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file) && !file.startsWith("openapi"))
    .map((file) => readFileSync(new URL(file, ROUTES), "utf8"));
  const actions = sources.flatMap((text) =>
    [...text.matchAll(/\baction: "([a-z_]+)"/g)].map(([, name]) => name),
  );
  expect(actions.length).toBeGreaterThan(15);
  expect(actions.filter((action) => !Object.hasOwn(auditNames.actions, action ?? ""))).toEqual([]);
});

it("the outcomes that have names are outcomes or codes of problems", () => {
  const outcomes = [
    "done",
    "granted",
    "released",
    "already_gone",
    "extended",
    "unchanged",
    "requested",
    "accepted",
    "refused",
    "not_begun",
    "unknown",
  ];
  const codes = new Set<string>([...ERROR_CODES, ...outcomes]);
  expect(Object.keys(auditNames.outcomes).filter((code) => !codes.has(code))).toEqual([]);
});

it("a code of another version is shown as it is", () => {
  expect(findAuditName(auditNames.actions, "operator-make")).toBe("operator-make");
  expect(findAuditName(auditNames.actions, "constructor")).toBe("constructor");
});
