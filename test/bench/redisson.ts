import { Skip } from "../interop/skip.ts";
import { type JavaTool, provideRedisson } from "../interop/steps/java.ts";

const VARIABLE = "LOCKKEEPER_BENCH_REDISSON";

/**
 * Installs Redisson and the test programs that use it.
 *
 * @throws Skip if LOCKKEEPER_BENCH_REDISSON is `none`, or Java is not available
 */
export async function provideBenchRedisson(): Promise<JavaTool> {
  if (process.env[VARIABLE] === "none") throw new Skip(`${VARIABLE} is none`);
  return await provideRedisson();
}
