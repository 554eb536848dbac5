import { expect, it } from "vitest";
import { buildRedisCliLines } from "./redis-cli-command.ts";

it("a setting becomes one shell-safe redis-cli line per master", () => {
  expect(
    buildRedisCliLines("CONFIG SET notify-keyspace-events Kghszxe$", ["10.0.0.1:6379", "[::1]:7000"]),
  ).toEqual([
    "redis-cli -h 10.0.0.1 -p 6379 CONFIG SET notify-keyspace-events 'Kghszxe$'",
    "redis-cli -h ::1 -p 7000 CONFIG SET notify-keyspace-events 'Kghszxe$'",
  ]);
  expect(buildRedisCliLines("ACL SETUSER it's +scan +pubsub|numsub", [])).toEqual([
    "redis-cli ACL SETUSER 'it'\\''s' +scan '+pubsub|numsub'",
  ]);
});

it("a command that is not for a master stays unchanged", () => {
  for (const command of ["timedatectl timesync-status", "SENTINEL SET shop quorum 2"])
    expect(buildRedisCliLines(command, ["a:1"])).toEqual([command]);
});

it("no part of a master's address is interpreted by the shell", () => {
  expect(buildRedisCliLines("CONFIG GET save", ["a.b$(touch x)'\n:6379;id"])).toEqual([
    "redis-cli -h 'a.b$(touch x)'\\''\n' -p '6379;id' CONFIG GET save",
  ]);
});
