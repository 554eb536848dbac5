import { createCipheriv, createDecipheriv, type Decipher, hkdfSync, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { hashOf } from "../../auth/secret.ts";
import { RequestIdReusedError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { OURS_AT_HOME } from "../../formats/keys.ts";
import type { Home } from "../../home/home-store.ts";
import type { ApiResponse } from "../http/http-exchange.ts";
import type { AnyCall } from "./route.ts";

/** As long as a lock remembers request ids. */
const KEPT_MS = 120_000;
/** How long a repetition waits for the first one to be answered. */
const PATIENCE_MS = 2000;
const LOOK_MS = 50;

/** What stands in the store: who carries it out, and the answer once there is one. */
const Entry = z.object({ by: z.string(), digest: z.string(), sealed: z.string().optional() });
type Entry = z.infer<typeof Entry>;
const Answered = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

type Asked = Pick<AnyCall, "principal" | "requestId" | "body"> & {
  readonly request: Pick<AnyCall["request"], "method" | "path" | "header">;
};

/**
 * Carries a request out once for each caller and Idempotency-Key, and answers those who repeat it as before, at every
 * instance. An answer may hold a secret that is shown once: it is sealed with the credentials of the caller, of which
 * the store has no more than a hash. An id alone could be guessed.
 */
export class StoredAnswers {
  constructor(private readonly home: Home) {}

  /** @throws LockkeeperError request_id_reused, unknown_outcome, unavailable, and what the handler throws */
  async once(asked: Asked, handle: () => Promise<ApiResponse> | ApiResponse): Promise<ApiResponse> {
    const { principal, requestId, request, body } = asked;
    const id = `${principal.id}\n${requestId}`;
    const name = `${OURS_AT_HOME}answer:${hashOf(id)}`;
    const seal = `${id}\n${request.header("authorization") ?? request.header("cookie")}`;
    const digest = hashOf(`${request.method} ${request.path}\n${JSON.stringify(body)}`);
    const mine: Entry = { by: randomBytes(9).toString("base64url"), digest };
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(LOOK_MS)) {
      const found = await this.#claim(name, mine);
      if (found === undefined) continue;
      if (found.by === mine.by) return await this.#carriedOut(name, seal, mine, handle);
      if (found.digest !== digest) {
        throw new RequestIdReusedError("This Idempotency-Key was used for another request; take a new one.");
      }
      if (found.sealed !== undefined) return opened(found.sealed, seal);
    }
    throw new UnknownOutcomeError(
      "A request with this Idempotency-Key was begun, and has not been answered. Look whether it was done before you ask with another one.",
    );
  }

  /** @returns whoever has it; undefined when it went away meanwhile */
  async #claim(name: string, mine: Entry): Promise<Entry | undefined> {
    // Both may be repeated: whether a claim whose answer was lost is ours, its mark tells.
    await this.home.run((redis) => redis.set(name, JSON.stringify(mine), "PX", KEPT_MS, "NX"));
    const found = await this.home.run((redis) => redis.get(name));
    return found === null ? undefined : Entry.parse(JSON.parse(found));
  }

  async #carriedOut(
    name: string,
    seal: string,
    mine: Entry,
    handle: () => Promise<ApiResponse> | ApiResponse,
  ): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = await handle();
    } catch (error) {
      // What was certainly not done may be tried again under the same id.
      const isCertain = error instanceof LockkeeperError && !(error instanceof UnknownOutcomeError);
      if (isCertain) await this.home.run((redis) => redis.del(name)).catch(() => undefined);
      throw error;
    }
    const { status, headers, body } = response;
    if (typeof body !== "string") return response;
    const entry: Entry = { ...mine, sealed: sealed(JSON.stringify({ status, headers, body }), seal) };
    // It is done: whether it can be told again decides nothing about this answer.
    await this.home
      .run((redis) => redis.set(name, JSON.stringify(entry), "PX", KEPT_MS))
      .catch(() => undefined);
    return response;
  }
}

const keyOf = (seal: string, salt: Uint8Array) =>
  Buffer.from(hkdfSync("sha256", seal, salt, "lockkeeper answer", 32));

function sealed(text: string, seal: string): string {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", keyOf(seal, salt), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, iv, cipher.getAuthTag(), body]).toString("base64");
}

function opened(text: string, seal: string): ApiResponse {
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv(
    "aes-256-gcm",
    keyOf(seal, bytes.subarray(0, 16)),
    bytes.subarray(16, 28),
  );
  decipher.setAuthTag(bytes.subarray(28, 44));
  return Answered.parse(JSON.parse(unsealed(decipher, bytes.subarray(44))));
}

function unsealed(decipher: Decipher, bytes: Uint8Array): string {
  try {
    return Buffer.concat([decipher.update(bytes), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new UnknownOutcomeError(
      "A request with this Idempotency-Key was answered to other credentials of yours, and can be told to those alone. Look whether it was done before you ask with another one.",
      { cause },
    );
  }
}
