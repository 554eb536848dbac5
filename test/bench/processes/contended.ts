/**
 * Runs some of the workers that contend for a lock.
 *
 * Usage: `node --import tsx contended.ts REDIS_URL`
 */
import { openContendedClients } from "../contended/clients.ts";
import type { ContendedRequest, ContendedResponse } from "../contended/messages.ts";
import { contend } from "../contended/workers.ts";
import { formatReason } from "../figure.ts";

const [url = ""] = process.argv.slice(2);
const contenders = await openContendedClients(url);

function respond(response: ContendedResponse): void {
  process.send?.(response);
}

process.on("message", async (request: ContendedRequest) => {
  const contender = contenders.find(({ name }) => name === request.contender);
  if (contender === undefined) return respond({ failed: `There is no contender ${request.contender}` });
  try {
    respond({ workers: await contend(contender, request) });
  } catch (error) {
    respond({ failed: formatReason(error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
