/** Prints the kill matrix of one sample. The usage is documented in the README of this folder. */
import { parseArgs } from "node:util";
import { endAll, endWhenInterrupted } from "../children.ts";
import { runKillMatrix } from "./kill-matrix.ts";
import { LANGUAGE_SAMPLES } from "./language-runners.ts";

endWhenInterrupted();
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    row: { type: "string", multiple: true },
    work: { type: "string", multiple: true },
    file: { type: "string" },
  },
});
const isChosen = ({ fileName }: { fileName: string }) => fileName === positionals[0];
const runner = await LANGUAGE_SAMPLES.find(isChosen)?.findRunner();
if (runner === undefined) throw new Error(`No sample ${positionals[0]}`);
const results = await runKillMatrix(runner, { path: values.file, rows: values.row, works: values.work });
for (const { line, faults } of results) {
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${line}`);
  for (const fault of faults) console.log(`       ${fault.replaceAll("\n", "\n       ")}`);
}
await endAll();
process.exit(results.some(({ faults }) => faults.length > 0) ? 1 : 0);
