import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runChild, StepError } from "../steps/child.mjs";

/**
 * Creates a root file system with a minimal Debian from the package sources of this machine.
 *
 * @param {string} target
 * @param {string} work a temporary folder
 */
export async function makePlainSystem(target, work) {
  const settings = join(work, "apt.conf");
  // The package sources can be mirrors with their own options.
  const options = execFileSync("apt-config", ["dump"], { encoding: "utf8" });
  writeFileSync(
    settings,
    options
      .split("\n")
      .filter((line) => /^Acquire::/.test(line))
      .join("\n"),
  );
  const { VERSION_CODENAME: suite = "stable" } = Object.fromEntries(
    readFileSync("/etc/os-release", "utf8")
      .split("\n")
      .map((line) => line.split("=")),
  );
  const sources = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"].filter((file) =>
    existsSync(file),
  );
  const making = `${target}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  const args = [
    "--variant=essential",
    "--include=libstdc++6,libatomic1",
    `--aptopt=${settings}`,
    suite,
    making,
    ...sources,
  ];
  const { code, output } = await runChild("mmdebstrap", args, { cwd: "/", capture: true });
  rmSync(settings, { force: true });
  if (code !== 0)
    throw new StepError(`mmdebstrap could not make a root file system:\n${output.slice(-2000)}`);
  renameSync(making, target);
}
