import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SAMPLES = join(import.meta.dirname, "../../../public/samples");
const MARKER = /^.*Your work starts here\.\n/m;

export type Work = "steps" | "child";

/** How a sample is built and started. The README of this folder states what the driver does. */
export interface SampleRunner {
  readonly fileName: string;
  /** Folder of the file; `public/samples` by default. */
  readonly folder?: string;
  readonly works: readonly Work[];
  /** Program text that replaces everything below the marker line. */
  readonly driver: string;
  /** How many rows run at the same time, if all of them would take too long to start; all by default. */
  readonly rowsAtOnce?: number;
  /** Compiles the file in `dir`. */
  build?(dir: string): Promise<void>;
  /** Starts the built program as one process. */
  command(dir: string): readonly [string, ...string[]];
  /** Starts the unchanged file, built in the same way. */
  exampleCommand(dir: string, key: string): readonly [string, ...string[]];
}

/** Folders with the same sample: one with the driver, one unchanged. */
export interface PreparedSample {
  readonly runner: SampleRunner;
  readonly driven: string;
  readonly unchanged: string;
}

/** Writes and builds both variants below `dir`. `path` replaces the file of `public/samples`. */
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
