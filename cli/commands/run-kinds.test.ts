import { expect, it } from "vitest";
import { chooseKind, type KindOptions, parseKind, parsePermits } from "./run-kinds.ts";

it("permits are a number and a limit", () => {
  expect(parsePermits("3/10")).toEqual({ permits: 3, limit: 10 });
  expect(parsePermits("256/4096")).toEqual({ permits: 256, limit: 4096 });
});

it.each([
  ["3", "such as 3/10"],
  ["-1/3", "such as 3/10"],
  ["0/3", "must be from 1 to 3"],
  ["4/3", "must be from 1 to 3"],
  ["257/300", "must be from 1 to 256"],
  ["1/4097", "limit must be from 1 to 4096"],
])("the permits %s are refused", (text, message) => {
  expect(() => parsePermits(text)).toThrow(message);
});

it("a semaphore is not a kind of --kind", () => {
  expect(parseKind("write")).toBe("write");
  expect(() => parseKind("semaphore")).toThrow("acquired with --permits");
});

const PERMITS = { permits: 1, limit: 2 };

it("the options choose one kind, and only a plain lock has several keys", () => {
  expect(chooseKind(["a"], { shared: true })).toBe("read");
  expect(chooseKind(["a"], { permits: PERMITS })).toBe("semaphore");
  expect(chooseKind(["a"], { kind: "fair" })).toBe("fair");
  expect(chooseKind(["a"], { kind: "plain_semaphore", permits: PERMITS })).toBe("plain_semaphore");
  expect(chooseKind(["a"], { kind: "plain_semaphore" })).toBe("plain_semaphore");
  expect(chooseKind(["a", "b"], { kind: "lock" })).toBe("lock");
  expect(chooseKind(["a", "b"], {})).toBeUndefined();
});

it.each<[string[], KindOptions, string]>([
  [["a"], { kind: "read", shared: true }, "--kind read and --shared exclude each other."],
  [["a"], { shared: true, permits: PERMITS }, "--shared and --permits exclude each other."],
  [["a", "b"], { shared: true }, "Give a single key with --shared."],
  [["a", "b"], { permits: PERMITS }, "Give a single key with --permits."],
  [["a"], { kind: "fair", permits: PERMITS }, "--kind fair and --permits exclude each other."],
  [["a", "b"], { kind: "plain_semaphore", permits: PERMITS }, "Give a single key with --permits."],
  [["a", "b"], { kind: "fair" }, "Give a single key with --kind fair."],
])("refuses %j with %j", (keys, options, message) => {
  expect(() => chooseKind(keys, options)).toThrow(message);
});
