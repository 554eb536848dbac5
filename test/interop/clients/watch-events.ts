import {
  createJavaWatcher,
  createPythonWatcher,
  type WatchRunner,
  withGoWatcher,
} from "../events/watch-runners.ts";
import { proveResetAndRefusal, proveResumption, proveSilenceNoticed } from "../events/watch-scenarios.ts";
import { Skip } from "../skip.ts";
import { findProgram } from "../steps/find.ts";
import type { Client, ClientContext } from "./client.ts";

const GO_FOLDERS = ["/usr/local/go/bin"];

/** Tests the downloadable programs that follow events. `npm test` runs those in shell and TypeScript. */
export const watchEventsClients: readonly Client[] = [
  createWatchClient("Python", "python3", (python, prove) => prove(createPythonWatcher(python))),
  createWatchClient("Go", "go", withGoWatcher),
  createWatchClient("Java", "java", (java, prove) => prove(createJavaWatcher(java))),
];

function createWatchClient(
  language: string,
  program: string,
  withRunner: (path: string, prove: (runner: WatchRunner) => Promise<void>) => Promise<void>,
): Client {
  return {
    name: `watch-events in ${language}`,
    needs: [],
    async run({ note }: ClientContext) {
      const path = findProgram(program, GO_FOLDERS);
      if (path === undefined) throw new Skip(`no ${program} on this machine`);
      await withRunner(path, async (runner) => {
        const proofs = [proveResumption, proveSilenceNoticed, proveResetAndRefusal];
        for (const line of await Promise.all(proofs.map((prove) => prove(runner)))) note(line);
      });
    },
  };
}
