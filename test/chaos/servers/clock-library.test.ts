import { expect, it, vi } from "vitest";
import { Skip } from "../../interop/skip.ts";
import { commandOf, UsageError } from "../arguments.ts";
import { clockLibrary } from "./clock-library.ts";

const lacking = async () => {
  throw new Skip("libfaketime is not on this machine");
};
const nowhere = { find: lacking, bring: lacking };
const named = commandOf(["--faults", "flushall,server-clock-step"]);

it("a fault that was asked for by name says what it lacks, and how to get it", async () => {
  await expect(clockLibrary(named, nowhere)).rejects.toThrow(UsageError);
  await expect(clockLibrary(named, nowhere)).rejects.toThrow(
    /^server-clock-step needs libfaketime: libfaketime is not on this machine\..*apt-get install libfaketime/,
  );
});

it("of all faults it is left out with one line, and nobody is asked for it", async () => {
  const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const bring = vi.fn(lacking);
    expect(await clockLibrary(commandOf([]), { find: lacking, bring })).toBeUndefined();
    expect(bring).not.toHaveBeenCalled();
    expect(lines.mock.calls).toEqual([[expect.stringMatching(/^left out: server-clock-step \(/)]]);
  } finally {
    lines.mockRestore();
  }
});

it("what needs no clock does not look for it", async () => {
  expect(await clockLibrary(commandOf(["--faults", "flushall"]), nowhere)).toBeUndefined();
});

it("is brought for what was asked for by name", async () => {
  const bring = async () => ({ library: "brought" });
  expect(await clockLibrary(named, { find: lacking, bring })).toEqual({ library: "brought" });
});
