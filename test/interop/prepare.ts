/**
 * Installs the clients of the interop run into `.cache/interop`. What is not available on this machine is left out,
 * with the reason.
 */
import { endAll, endWhenInterrupted, isEnding } from "./children.ts";
import { prepare } from "./prepared.ts";

endWhenInterrupted();
await prepare((name, seconds, lacking) => {
  console.error(lacking === undefined ? `${name}: ready, ${seconds} s` : `${name}: left out, ${lacking}`);
});
if (isEnding()) await new Promise(() => undefined);
await endAll();
process.exit(0);
