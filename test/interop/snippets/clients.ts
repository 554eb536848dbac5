import type { Bench, Client } from "../clients/client.ts";
import { Skip } from "../skip.ts";
import { findProgram } from "../steps/find.ts";
import { expectSafe } from "./guide-story.ts";
import { faultsOf } from "./judge.ts";
import type { Runner } from "./language-run.ts";
import { curlRunner, javaRunner, pythonRunner } from "./runners.ts";

/** What the docs page shows, run as a reader would run it. TypeScript is run by `npm test`. */
export const snippetClients: readonly Client[] = [
  shown("curl", () => (findProgram("curl") && findProgram("bash") ? curlRunner : undefined)),
  shown("Python", () => {
    const python = findProgram("python3");
    return python === undefined ? undefined : pythonRunner(python);
  }),
  shown("Java", () => {
    const [java, javac] = [findProgram("java"), findProgram("javac")];
    return java === undefined || javac === undefined ? undefined : javaRunner(java, javac);
  }),
];

function shown(language: string, runnerOf: () => Runner | undefined): Client {
  return {
    name: `snippets in ${language}`,
    needs: [],
    async run({ note }: Bench) {
      const runner = runnerOf();
      if (runner === undefined) throw new Skip(`no ${language} on this machine`);
      const faults = await faultsOf(runner);
      if (faults.length > 0) throw new Error(faults.join("\n"));
      await expectSafe(runner);
      note("every operation, and the program of the docs page");
    },
  };
}
