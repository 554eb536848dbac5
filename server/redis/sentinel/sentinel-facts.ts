import { connect, OPEN_MS, whenReady } from "../connect.ts";
import { type SentinelWhere, sentinelAt } from "./sentinel-address.ts";

/** What the first sentinel that answers knows of the group: the fields of SENTINEL MASTER. @throws when none answers */
export async function sentinelFacts({ sentinel, master }: SentinelWhere): Promise<Map<string, string>> {
  return await Promise.any(sentinel.map((url) => factsFrom(url, master)));
}

async function factsFrom(url: string, master: string): Promise<Map<string, string>> {
  const redis = connect(sentinelAt(url), "health", { enableReadyCheck: false, retryStrategy: () => null });
  try {
    await whenReady(redis, AbortSignal.timeout(OPEN_MS));
    const reply = await redis.call("SENTINEL", "MASTER", master);
    const words = Array.isArray(reply) ? reply.map(String) : [];
    return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : [])));
  } finally {
    redis.disconnect();
  }
}
