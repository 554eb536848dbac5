import { run } from "../children.ts";
import { reasonOf, Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { place, textOf } from "./place.ts";

const INSTALL_MS = 90_000;

export interface RedisPyTool {
  readonly python: string;
  /** For PYTHONPATH. */
  readonly library: string;
}

/** redis-py in a folder of its own; nothing of the machine's Python is changed. @throws Skip */
export async function provideRedisPy(): Promise<RedisPyTool> {
  const python = findProgram("python3");
  if (python === undefined) throw new Skip("no Python on this machine");
  const requirements = textOf("python", "requirements.txt");
  const version = await run(python, ["--version"], { limitMs: 10_000 }).catch((error: unknown) => {
    throw new Skip(`Python does not run here: ${reasonOf(error)}`);
  });
  const library = await place("redis-py", [requirements, version], async (dir) => {
    const names = requirements.split("\n").filter((line) => line !== "");
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--target"];
    await run(python, [...pip, dir, ...names], { limitMs: INSTALL_MS }).catch((error: unknown) => {
      throw new Skip(`redis-py cannot be had: ${reasonOf(error)}`);
    });
  });
  return { python, library };
}
