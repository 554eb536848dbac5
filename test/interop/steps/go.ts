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

/** The lock libraries of Go in one program. @throws Skip */
export async function provideGo(): Promise<GoTool> {
  const go = findProgram("go", ["/usr/local/go/bin", "/usr/lib/go/bin"]);
  if (go === undefined) throw new Skip("no Go on this machine");
  // Neither another version of Go nor of a module than go.mod names is brought.
  const env = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };
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
