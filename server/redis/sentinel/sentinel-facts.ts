import { connect, OPEN_TIMEOUT_MS, waitUntilReady } from "../connect.ts";
import { parseSentinelUrl, type SentinelLocation } from "./sentinel-address.ts";

/** Reads the fields of SENTINEL MASTER from the first sentinel that replies. @throws if no sentinel replies */
export async function readSentinelFacts({
  sentinel,
  master,
}: SentinelLocation): Promise<Map<string, string>> {
  return await Promise.any(sentinel.map((url) => readFactsFrom(url, master)));
}

async function readFactsFrom(url: string, master: string): Promise<Map<string, string>> {
  const redis = connect(parseSentinelUrl(url), "health", {
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  try {
    await waitUntilReady(redis, AbortSignal.timeout(OPEN_TIMEOUT_MS));
    const reply = await redis.call("SENTINEL", "MASTER", master);
    const fields = Array.isArray(reply) ? reply.map(String) : [];
    return new Map(
      fields.flatMap((word, at) => (at % 2 === 0 ? [[word, fields[at + 1] ?? ""] as const] : [])),
    );
  } finally {
    redis.disconnect();
  }
}
