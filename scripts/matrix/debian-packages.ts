import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../test/interop/children.ts";
import { Skip } from "../../test/interop/skip.ts";
import { findProgram } from "../../test/interop/steps/find.ts";

const LIST_MS = 30_000;
const DOWNLOAD_MS = 120_000;
const EXTRACT_MS = 30_000;
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
/**
 * Matches the packages that a server needs at run time. The remaining packages that apt downloads set the server up as
 * a system service, so they are not unpacked.
 */
const UNPACKED = /^(lib|zlib|redis-|valkey-)/;

/**
 * Downloads a package of any Debian release with the libraries of that release and unpacks them into `root`. Uses the
 * Debian mirror of this machine, and apt verifies the signatures. Nothing is installed on the machine.
 *
 * @throws Skip if the package is not available
 */
export async function unpackDebianPackage(suite: string, name: string, root: string): Promise<void> {
  for (const program of ["apt-get", "dpkg-deb"])
    if (findProgram(program) === undefined) throw new Skip(`no ${program} on this machine`);
  const state = join(root, "apt");
  const apt = await prepareApt(state, { mirror: await findMirror(), suite });
  try {
    await run("apt-get", [...apt, "update"], { limitMs: DOWNLOAD_MS });
    const wanted = ["install", "--yes", "--no-install-recommends", "--download-only", name];
    await run("apt-get", [...apt, ...wanted], { limitMs: DOWNLOAD_MS });
    const archives = join(state, "cache/archives");
    for (const deb of (await readdir(archives)).filter((file) => UNPACKED.test(file)))
      await run("dpkg-deb", ["-x", join(archives, deb), root], { limitMs: EXTRACT_MS });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
  for (const unused of ["usr/share", "etc", "var"])
    await rm(join(root, unused), { recursive: true, force: true });
}

/** Returns the URL of the Debian archive that this machine uses. @throws Skip on other distributions */
async function findMirror(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const read = (name: string) => new RegExp(`^${name}="?([^"\\n]*)`, "m").exec(release)?.[1];
  if (read("ID") !== "debian")
    throw new Skip("its packages are in the Debian archive, and this system is not Debian");
  const targets = await run(
    "apt-get",
    ["indextargets", "--format", "$(RELEASE) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"],
    { limitMs: LIST_MS },
  );
  const wanted = `${read("VERSION_CODENAME")} main `;
  const mirror = targets.split("\n").find((line) => line.startsWith(wanted));
  if (mirror === undefined) throw new Skip("apt has no source of this Debian release");
  if (!existsSync(KEYRING)) throw new Skip(`no ${KEYRING} to verify the packages with`);
  return mirror.slice(wanted.length);
}

async function prepareApt(
  state: string,
  { mirror, suite }: { mirror: string; suite: string },
): Promise<string[]> {
  for (const folder of ["lists/partial", "cache/archives/partial", "sources"])
    await mkdir(join(state, folder), { recursive: true });
  const source = ["Types: deb", `URIs: ${mirror}`, `Suites: ${suite}`, "Components: main"];
  await writeFile(
    join(state, "sources/release.sources"),
    `${[...source, `Signed-By: ${KEYRING}`].join("\n")}\n`,
  );
  // With an empty status file, apt downloads every library from the server's release, even if this machine has it.
  await writeFile(join(state, "status"), "");
  return [
    `Dir::State=${state}`,
    `Dir::State::status=${join(state, "status")}`,
    `Dir::State::Lists=${join(state, "lists")}`,
    `Dir::Cache=${join(state, "cache")}`,
    "Dir::Etc::SourceList=/dev/null",
    `Dir::Etc::SourceParts=${join(state, "sources")}`,
    "APT::Sandbox::User=",
    "APT::Update::Error-Mode=any",
    "Acquire::Languages=none",
    "Acquire::Retries=2",
    "Acquire::http::Timeout=20",
    "Debug::NoLocking=1",
  ].flatMap((setting) => ["-o", setting]);
}
