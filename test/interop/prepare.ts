/** Brings the clients of the interop run into `.cache/interop`; what this machine lacks is left out, with its reason. */
import { endAll, endWhenInterrupted, isEnding } from "./children.ts";
import { prepare } from "./prepared.ts";

endWhenInterrupted();
await prepare((name, seconds, lacking) => {
  console.error(lacking === undefined ? `${name}: ready, ${seconds} s` : `${name}: left out, ${lacking}`);
});
if (isEnding()) await new Promise(() => undefined);
await endAll();
process.exit(0);
