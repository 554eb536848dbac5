import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const BUILD_MS = 180_000;
const FILES = ["main.go", "go.mod", "go.sum"];

export interface GoTool {
  /** Path of the compiled peer. */
  readonly peer: string;
}

export interface GoGeneratorTool {
  readonly go: string;
  /** Path of the compiled oapi-codegen. */
  readonly generator: string;
}

interface Program {
  readonly name: string;
  /** Folder in test/interop that contains a go.mod. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly package: string;
}

/** Environment in which Go downloads neither another version of Go nor modules that are missing in go.mod. */
export const GO_ENV = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };

/** Finds Go on PATH or in its usual folders. Undefined if Go is not installed. */
export function findGo(): string | undefined {
  return findProgram("go", ["/usr/local/go/bin", "/usr/lib/go/bin"]);
}

/**
 * Builds a program with the Go lock libraries.
 *
 * @throws Skip if Go is not available or the build fails
 */
export async function provideGo(): Promise<GoTool> {
  const { program } = await build({ name: "go-peer", folder: "go", files: FILES, package: "." });
  return { peer: program };
}

/**
 * Builds oapi-codegen and downloads the modules that generated clients need.
 *
 * @throws Skip if Go is not available or the build fails
 */
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
