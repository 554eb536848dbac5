import { expect, it, vi } from "vitest";
import { Skip } from "../../interop/skip.ts";
import { parseCommand, UsageError } from "../arguments.ts";
import { findClockLibrary } from "./clock-library.ts";

const lacking = async () => {
  throw new Skip("libfaketime is not on this machine");
};
const nowhere = { find: lacking, bring: lacking };
const named = parseCommand(["--faults", "flushall,server-clock-step"]);

it("a clock fault requested by name fails with what is missing and how to install it", async () => {
  await expect(findClockLibrary(named, nowhere)).rejects.toThrow(UsageError);
  await expect(findClockLibrary(named, nowhere)).rejects.toThrow(
    /^server-clock-step needs libfaketime: libfaketime is not on this machine\..*apt-get install libfaketime/,
  );
});

it("clock faults not requested by name are skipped with one line if the clock library is missing", async () => {
  const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const bring = vi.fn(lacking);
    expect(await findClockLibrary(parseCommand([]), { find: lacking, bring })).toBeUndefined();
    expect(bring).not.toHaveBeenCalled();
    expect(lines.mock.calls).toEqual([[expect.stringMatching(/^left out: server-clock-step \(/)]]);
  } finally {
    lines.mockRestore();
  }
});

it("the clock library is not looked up when no fault needs it", async () => {
  expect(await findClockLibrary(parseCommand(["--faults", "flushall"]), nowhere)).toBeUndefined();
});

it("the clock library is fetched for a clock fault requested by name", async () => {
  const bring = async () => ({ library: "brought" });
  expect(await findClockLibrary(named, { find: lacking, bring })).toEqual({ library: "brought" });
});
