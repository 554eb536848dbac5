// `--import tsx` has no effect in a worker thread. This file is therefore JavaScript and registers tsx for the modules
// that it imports.
import { parentPort, workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
/** @type {{ module: string, name: string, calls: unknown[][] }} */
const { module, name, calls } = workerData;
const { [name]: call } = await import(module);
calls.forEach((input, at) => {
  parentPort?.postMessage(at);
  call(...input);
});
