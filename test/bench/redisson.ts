import { Skip } from "../interop/skip.ts";
import { type JavaTool, provideRedisson } from "../interop/steps/java.ts";

const VARIABLE = "LOCKKEEPER_BENCH_REDISSON";

/** Provides Redisson and the peers for it, unless the environment leaves them out. @throws Skip */
export async function provideBenchRedisson(): Promise<JavaTool> {
  if (process.env[VARIABLE] === "none") throw new Skip(`${VARIABLE} is none`);
  return await provideRedisson();
}
