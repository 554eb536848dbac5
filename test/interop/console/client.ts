import { addCleanUp } from "../children.ts";
import type { Client, ClientContext } from "../clients/client.ts";
import type { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import { Operator } from "./operator.ts";
import type { ScenarioResult } from "./release-scenario.ts";

/** Creates a test in which an operator sees and releases locks of other libraries. */
export function createConsoleClient(
  name: string,
  needs: keyof Tools,
  start: (tools: Tools, url: string) => Promise<Peer>,
  tell: (operator: Operator, peer: Peer, bench: ClientContext) => Promise<void>,
  formats?: string,
): Client {
  return {
    name: `${name} in the console`,
    needs: [needs],
    async run(bench) {
      const operator = await Operator.open(formats);
      const stop = addCleanUp(() => operator.server.stop());
      let peer: Peer | undefined;
      try {
        peer = await start(bench.tools, operator.server.redis.url);
        await tell(operator, peer, bench);
      } finally {
        peer?.end();
        await stop();
      }
    },
  };
}

export const formatFigures = (results: readonly ScenarioResult[], more: readonly string[] = []) =>
  `from the force-release until the waiter had it: ${[...results.map(({ key, wokenMs }) => `${key} ${wokenMs} ms`), ...more].join(", ")}`;
