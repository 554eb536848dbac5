import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SAMPLES = join(import.meta.dirname, "../../../public/samples");

/** Reads the lines of a sample without their indentation, which differs between languages. */
function readLines(name: string): string {
  return readFileSync(join(SAMPLES, name), "utf8").replaceAll(/^[ \t]+/gm, "");
}

it.each(readdirSync(SAMPLES).filter((name) => /^safe[-_]?lock\./i.test(name)))(
  "%s kills commands by the same guard as safe-lock.sh",
  (name) => {
    const [, guard = ""] = /<<'GUARD'\n(.*?)\nGUARD\n/s.exec(readLines("safe-lock.sh")) ?? [];
    expect(guard).toContain('kill -KILL -- "-$work"');
    expect(readLines(name)).toContain(guard);
  },
);
