import type { Client } from "../clients/client.ts";
import { Skip } from "../skip.ts";
import { runKillMatrix } from "./kill-matrix.ts";
import { LANGUAGE_SAMPLES } from "./language-runners.ts";

/**
 * Runs the complete kill matrix of each safe-lock program. `npm test` runs a few rows for the shell and TypeScript
 * programs.
 */
export const sampleClients: readonly Client[] = LANGUAGE_SAMPLES.map(({ language, findRunner }) => ({
  name: `safe lock in ${language}`,
  needs: [],
  async run({ note }) {
    const runner = await findRunner();
    if (runner === undefined) throw new Skip(`no ${language} on this machine`);
    const results = await runKillMatrix(runner, { rerunsAlone: true });
    for (const { line } of results) note(line);
    const failed = results.filter(({ faults }) => faults.length > 0);
    if (failed.length === 0) return;
    throw new Error(failed.map(({ line, faults }) => [line, ...faults].join("\n  ")).join("\n"));
  },
}));
