import { atEnd } from "../children.ts";
import type { Bench, Client } from "../clients/client.ts";
import type { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import type { Told } from "./lock-story.ts";
import { Operator } from "./operator.ts";

/** Others' locks under the eyes and the hands of an operator. */
export function consoleClient(
  name: string,
  needs: keyof Tools,
  start: (tools: Tools, url: string) => Promise<Peer>,
  tell: (operator: Operator, peer: Peer, bench: Bench) => Promise<void>,
  formats?: string,
): Client {
  return {
    name: `${name} in the console`,
    needs: [needs],
    async run(bench) {
      const operator = await Operator.open(formats);
      const stop = atEnd(() => operator.server.stop());
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

export const figuresOf = (told: readonly Told[], more: readonly string[] = []) =>
  `from the force-release until the waiter had it: ${[...told.map(({ key, wokenMs }) => `${key} ${wokenMs} ms`), ...more].join(", ")}`;
