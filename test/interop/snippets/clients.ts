import type { Client, ClientContext } from "../clients/client.ts";
import { Skip } from "../skip.ts";
import { findProgram } from "../steps/find.ts";
import { findGo } from "../steps/go.ts";
import { findFaults } from "./find-faults.ts";
import { createGoRunner } from "./go-runner.ts";
import type { Runner } from "./language-run.ts";
import { createJavaRunner, createPythonRunner, curlRunner } from "./runners.ts";

/** Runs the snippets of the docs page as a reader would. `npm test` runs the TypeScript snippets. */
export const snippetClients: readonly Client[] = [
  createSnippetClient("curl", () => (findProgram("curl") && findProgram("bash") ? curlRunner : undefined)),
  createSnippetClient("Python", () => {
    const python = findProgram("python3");
    return python === undefined ? undefined : createPythonRunner(python);
  }),
  createSnippetClient("Go", () => {
    const go = findGo();
    return go === undefined ? undefined : createGoRunner(go);
  }),
  createSnippetClient("Java", () => {
    const [java, javac] = [findProgram("java"), findProgram("javac")];
    return java === undefined || javac === undefined ? undefined : createJavaRunner(java, javac);
  }),
];

function createSnippetClient(language: string, runnerOf: () => Runner | undefined): Client {
  return {
    name: `snippets in ${language}`,
    needs: [],
    async run({ note }: ClientContext) {
      const runner = runnerOf();
      if (runner === undefined) throw new Skip(`no ${language} on this machine`);
      const faults = await findFaults(runner);
      if (faults.length > 0) throw new Error(faults.join("\n"));
      note("every operation");
    },
  };
}
