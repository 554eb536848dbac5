import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SAMPLES = join(import.meta.dirname, "../../../public/samples");
const MARKER = /^.*Your work starts here\.\n/m;

export type Work = "steps" | "child";

/** How a sample is built and started. The task of the driver is described in the README of this folder. */
export interface SampleRunner {
  readonly fileName: string;
  /** Folder of the sample file. The default is `public/samples`. */
  readonly folder?: string;
  readonly works: readonly Work[];
  /** Source text that replaces everything below the marker line of the sample. */
  readonly driver: string;
  /**
   * Maximum number of rows that run at the same time, for programs that start slowly. By default, all rows run at the
   * same time.
   */
  readonly rowsAtOnce?: number;
  /** Compiles the sample in `dir`. */
  build?(dir: string): Promise<void>;
  /** Returns the command that starts the sample with the driver as one process. */
  command(dir: string): readonly [string, ...string[]];
  /** Returns the command that starts the unchanged sample. */
  exampleCommand(dir: string, key: string): readonly [string, ...string[]];
}

/** Two folders with the built sample: `driven` with the driver, and `unchanged` without it. */
export interface PreparedSample {
  readonly runner: SampleRunner;
  readonly driven: string;
  readonly unchanged: string;
}

/**
 * Writes and builds both variants of a sample in subfolders of `dir`.
 *
 * @param path path of the sample file
 */
export async function prepareSample(
  runner: SampleRunner,
  dir: string,
  path = join(runner.folder ?? SAMPLES, runner.fileName),
): Promise<PreparedSample> {
  const text = await readFile(path, "utf8");
  const marker = MARKER.exec(text);
  if (marker === null) throw new Error(`${runner.fileName} has no marker line`);
  const head = text.slice(0, marker.index + marker[0].length);
  const write = async (name: string, content: string) => {
    const folder = join(dir, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, runner.fileName), content);
    await runner.build?.(folder);
    return folder;
  };
  const driven = await write("driven", head + runner.driver);
  return { runner, driven, unchanged: await write("unchanged", text) };
}
