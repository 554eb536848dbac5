import { expect, it } from "vitest";
import { LockkeeperClient } from "./lockkeeper-client.ts";

function createClient(value: unknown): LockkeeperClient {
  const send = async () => Response.json(value);
  return new LockkeeperClient({ url: "http://locks.example", apiKey: "lk_a", fetch: send as typeof fetch });
}

it("a response without permits is an unexpected response", async () => {
  for (const value of [
    {},
    { available: 1 },
    { available: "1", acquired: 2 },
    { available: 1.5, acquired: 2 },
  ])
    await expect(createClient(value).setLimit("lock:a", 3)).rejects.toMatchObject({
      code: "unexpected_response",
    });
  const permits = createClient({ available: -1, acquired: 4 });
  expect(await permits.setLimit("lock:a", 3)).toEqual({ limit: 3, available: -1, acquired: 4 });
});
