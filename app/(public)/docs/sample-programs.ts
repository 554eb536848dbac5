import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SNIPPET_LANGUAGES } from "@/lib/snippets/language.ts";
import {
  SAMPLE_FILES,
  type SampleFile,
  type SampleProgram,
  type SamplePrograms,
} from "@/lib/snippets/sample-files.ts";

/** The process runs in the folder of the repository, as Next itself requires. */
const SAMPLES_FOLDER = join(process.cwd(), "public", "samples");

/** Reads the programs that the tests run, so that the page shows the very same text. */
export async function readSamplePrograms(): Promise<SamplePrograms> {
  const entries = SNIPPET_LANGUAGES.map(async (language) => {
    const { lock, events } = SAMPLE_FILES[language];
    return [language, { lock: await readSample(lock), events: await readSample(events) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as SamplePrograms;
}

async function readSample(file: SampleFile): Promise<SampleProgram> {
  return { ...file, text: await readFile(join(SAMPLES_FOLDER, file.name), "utf8") };
}
