import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SNIPPET_LANGUAGES } from "@/lib/snippets/language.ts";
import {
  SAMPLE_FILES,
  type SampleFile,
  type SampleProgram,
  type SamplePrograms,
} from "@/lib/snippets/sample-files.ts";
import { getConsoleFolder } from "@/server/global-runtime.ts";

/** Reads the sample programs shown in the documentation. The tests run the same files. */
export async function readSamplePrograms(): Promise<SamplePrograms> {
  const entries = SNIPPET_LANGUAGES.map(async (language) => {
    const { lock, events } = SAMPLE_FILES[language];
    return [language, { lock: await readSample(lock), events: await readSample(events) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as SamplePrograms;
}

async function readSample(file: SampleFile): Promise<SampleProgram> {
  // The path is known only at run time. Without `turbopackIgnore`, Turbopack tries to resolve the path at build time.
  const path = join(/* turbopackIgnore: true */ getConsoleFolder(), "public/samples", file.name);
  return { ...file, text: await readFile(path, "utf8") };
}
