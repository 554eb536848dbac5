import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const BUILD_MS = 180_000;
const FILES = ["main.go", "go.mod", "go.sum"];

export interface GoTool {
  /** Our peer, built. */
  readonly peer: string;
}

/** For runs of the tool that download neither another version of Go nor modules that go.mod does not name. */
export const GO_ENV = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };

/** The path of the tool, also where it is not on PATH. */
export function findGo(): string | undefined {
  return findProgram("go", ["/usr/local/go/bin", "/usr/lib/go/bin"]);
}

/** The lock libraries of Go in one program. @throws Skip */
export async function provideGo(): Promise<GoTool> {
  const go = findGo();
  if (go === undefined) throw new Skip("no Go on this machine");
  const env = GO_ENV;
  const version = await run(go, ["version"], { env, limitMs: 10_000 }).catch((error: unknown) => {
    throw new Skip(`Go does not run here: ${formatReason(error)}`);
  });
  const dir = await provideCachedDir(
    "go-peer",
    [...FILES.map((file) => readLocalFile("go", file)), version],
    async (making) => {
      const args = ["build", "-o", join(making, "peer"), "."];
      await run(go, args, { env, cwd: join(HERE, "go"), limitMs: BUILD_MS }).catch((error: unknown) => {
        throw new Skip(`the Go modules cannot be had, or built: ${formatReason(error)}`);
      });
    },
  );
  return { peer: join(dir, "peer") };
}
