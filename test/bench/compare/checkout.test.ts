import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Checkout } from "./checkout.ts";
import { Processes } from "./processes.ts";

/** A fake benchmark like those of versions that did not support `--list` and `--json`. */
const OLD = `
if (process.argv.includes("--list") || process.argv.includes("--json")) {
  console.error("npm run bench -- [group …]");
  process.exit(2);
}
if (process.argv.includes("?")) {
  console.error('There is no figure "?": core.a, core.b.');
  process.exit(2);
}
if (!process.argv.includes("core.b")) {
  console.log(JSON.stringify({ figure: "core.a", unit: "ms", ours: 1, vs: {}, conditions: {} }));
  process.exit(0);
}
console.error("Error: No grant");
process.exit(1);
`;

const NEW = `
if (process.argv.includes("--list")) console.log(JSON.stringify({ figure: "core.a" }));
else console.log(JSON.stringify({ figure: "core.a", failed: process.argv.slice(2).join(" ") }));
`;

const WAITING = `
process.on("SIGTERM", () => process.exit(0));
setInterval(() => {}, 1000);
`;

async function createCheckout(source: string, bench = "node bench.mjs") {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "bench.mjs"), source);
  await writeFile(
    join(dir, "setup.mjs"),
    "console.log(process.argv.slice(2).join()); process.exit(process.argv.includes('build') ? 1 : 0)",
  );
  const scripts = { bench, prebench: "node setup.mjs build bench >&2" };
  await writeFile(join(dir, "package.json"), JSON.stringify({ scripts }));
  const processes = new Processes();
  return { processes, open: () => new Checkout(processes, dir) };
}

describe("Checkout", () => {
  it("measures with old benchmarks, one by one what a failed experiment lost", async () => {
    const checkout = (await createCheckout(OLD)).open();
    expect(await checkout.listFigures()).toEqual(["core.a", "core.b"]);
    const { lines, failures } = await checkout.measure(["core.a", "core.b"], "quick");
    expect(lines.map(({ figure }) => figure)).toEqual(["core.a"]);
    expect(failures).toEqual([{ figure: "core.b", failed: "Error: No grant" }]);
  });

  it("asks for JSON where that is known, and takes the reasons of failures", async () => {
    const checkout = (await createCheckout(NEW)).open();
    expect(await checkout.listFigures()).toEqual(["core.a"]);
    expect(await checkout.measure(["core.a"], "quick")).toEqual({
      lines: [],
      failures: [{ figure: "core.a", failed: "--only core.a --quick --json" }],
    });
  });

  it("builds only if asked, and reports a preparation that failed", async () => {
    const checkout = (await createCheckout(NEW)).open();
    await checkout.prepare({ build: false });
    await expect(checkout.prepare({ build: true })).rejects.toThrow("failed: build,bench");
  });

  it("rejects a checkout without benchmarks", async () => {
    const { open } = await createCheckout(NEW, "vitest bench");
    expect(open).toThrow(/"bench" and "prebench"/);
  });

  it("ends what it runs when the comparison is interrupted", async () => {
    const { open, processes } = await createCheckout(WAITING);
    const measured = open().measure(["core.a"], "quick");
    const rejected = expect(measured).rejects.toThrow("interrupted");
    await processes.end();
    await rejected;
    await expect(open().listFigures()).rejects.toThrow("interrupted");
  });
});
