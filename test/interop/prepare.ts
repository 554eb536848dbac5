/**
 * Installs the tools of the interoperability tests into `.cache/interop`. Skips tools that are not available on this
 * machine and prints the reason.
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
