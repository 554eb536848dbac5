import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const BUILD_MS = 180_000;
const FILES = ["main.go", "go.mod", "go.sum"];

export interface GoTool {
  /** The compiled peer. */
  readonly peer: string;
}

export interface GoGeneratorTool {
  readonly go: string;
  /** The compiled oapi-codegen. */
  readonly generator: string;
}

interface Program {
  readonly name: string;
  /** A folder of test/interop with a go.mod. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly package: string;
}

/** Environment in which Go downloads neither another version of itself nor modules that go.mod does not name. */
export const GO_ENV = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };

/** Finds Go, even if it is not on PATH. */
export function findGo(): string | undefined {
  return findProgram("go", ["/usr/local/go/bin", "/usr/lib/go/bin"]);
}

/** Provides the lock libraries of Go in one program. @throws Skip */
export async function provideGo(): Promise<GoTool> {
  const { program } = await build({ name: "go-peer", folder: "go", files: FILES, package: "." });
  return { peer: program };
}

/** Provides oapi-codegen, and the modules that its clients need. @throws Skip */
export async function provideGoGenerator(): Promise<GoGeneratorTool> {
  const folder = "generated/go";
  const { go, program } = await build({
    ...{ name: "go-generator", folder, files: ["go.mod", "go.sum"] },
    package: "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
  });
  await run(go, ["mod", "download"], {
    ...{ cwd: join(HERE, folder), env: GO_ENV, limitMs: BUILD_MS },
  }).catch(throwSkip);
  return { go, generator: program };
}

async function build({ name, folder, files, ...program }: Program): Promise<{ go: string; program: string }> {
  const go = findGo();
  if (go === undefined) throw new Skip("no Go on this machine");
  const env = GO_ENV;
  const version = await run(go, ["version"], { env, limitMs: 10_000 }).catch((error: unknown) => {
    throw new Skip(`Go does not run here: ${formatReason(error)}`);
  });
  const texts = files.map((file) => readLocalFile(folder, file));
  const dir = await provideCachedDir(name, [...texts, version, program.package], async (making) => {
    const args = ["build", "-o", join(making, "program"), program.package];
    await run(go, args, { env, cwd: join(HERE, folder), limitMs: BUILD_MS }).catch(throwSkip);
  });
  return { go, program: join(dir, "program") };
}

function throwSkip(error: unknown): never {
  throw new Skip(`the Go modules cannot be had, or built: ${formatReason(error)}`);
}
