import { expect, it } from "vitest";
import { parseCommand, UsageError } from "./arguments.ts";

const KNOWN = ["large-hash", "long-companion", "lock-flood"];
const parse = (...argv: string[]) => parseCommand(argv, KNOWN, "/here");

it("without arguments every case runs at full size against this checkout", () => {
  expect(parse()).toEqual({ cases: KNOWN, quick: false, checkout: "/here", rerunFailed: false, list: false });
});

it("cases run in the known order, whatever the order of the arguments", () => {
  expect(parse("lock-flood", "large-hash").cases).toEqual(["large-hash", "lock-flood"]);
});

it("--server names another checkout", () => {
  expect(parse("--server", "/there", "--quick")).toMatchObject({ checkout: "/there", quick: true });
});

it.each([[["no-such-case"]], [["--no-such-option"]], [["--server"]]])("%j is refused", (argv) => {
  expect(() => parse(...argv)).toThrow(UsageError);
});
