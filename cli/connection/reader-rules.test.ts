import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { buildReaderCommandLine, buildReaderRules } from "./reader-rules.ts";

const DOCS = readFileSync(new URL("../../docs/targets.md", import.meta.url), "utf8");
const URL_WITH_DB = "redis://reader:secret@redis-1:6379/2";

it("a shell passes the command line on as it is", () => {
  const where = ["redis://redis-1:6379", ["lock:*"], "Redis 7.0.15"] as const;
  const echo = buildReaderCommandLine(...where).replace("redis-cli", "printf '%s '");
  expect(execFileSync("sh", ["-c", echo]).toString().trimEnd()).toBe(buildReaderRules(...where));
});

it("the user is that of docs/targets.md", () => {
  const [line] = /^ACL SETUSER lockkeeper-reader .+$/m.exec(DOCS) ?? [];
  expect(buildReaderRules("redis://redis-1:6379", ["lock:*"], "Redis 7.0.15")).toBe(line);
});

it("the channels are those of the database, and the command contains no password", () => {
  const rules = buildReaderRules(URL_WITH_DB, ["a:*", "b:*"], "Valkey 8.1.0");
  expect(rules).toContain(" &__keyspace@2__:a:* &__keyspace@2__:b:* ");
  expect(rules).not.toContain("secret");
});

it("a Redis without read-only scripts needs the permission for all scripts", () => {
  const rules = buildReaderRules(URL_WITH_DB, ["lock:*"], "Redis 6.2.18");
  expect(rules).toContain(" +eval +evalsha ");
  expect(rules).not.toContain("_ro");
});

it("a cluster needs the permission to read its slots", () => {
  const rules = buildReaderRules({ cluster: ["redis://redis-1:6379"] }, ["lock:*"], "Redis 7.0.15");
  expect(rules).toContain("+cluster|slots");
});
