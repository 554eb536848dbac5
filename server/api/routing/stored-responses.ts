import { createCipheriv, createDecipheriv, type Decipher, hkdfSync, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { hashSha256 } from "../../auth/secret.ts";
import { IdempotencyKeyReusedError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import type { ApiResponse } from "../http/http-exchange.ts";
import type { AnyCall } from "./route.ts";

/** Time in ms for which a response is stored. Locks store request ids for the same time. */
const ANSWER_TTL_MS = 120_000;
/** Maximum time in ms that a repeated request waits for the response to the first request. */
const WAIT_MAX_MS = 2000;
const POLL_MS = 50;

/**
 * A stored request: the id of the call that claimed its execution (`by`), a hash of its content, and its encrypted
 * response after the execution.
 */
const StoredEntry = z.object({ by: z.string(), digest: z.string(), sealed: z.string().optional() });
type StoredEntry = z.infer<typeof StoredEntry>;
const StoredResponse = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

type IdempotentCall = Pick<AnyCall, "principal" | "requestId" | "body"> & {
  readonly request: Pick<AnyCall["request"], "method" | "path" | "header">;
};

/**
 * Stores responses by caller and Idempotency-Key in the home store for two minutes. During this time, a request is
 * executed only once, and a repeated request to any instance gets the stored response. A request that is known to have
 * failed can be executed again with the same Idempotency-Key. Because responses can contain secrets that are shown only
 * once, they are encrypted with a key that is derived from the caller's credentials and the Idempotency-Key. The
 * Idempotency-Key alone would not be enough, because it could be guessed.
 */
export class StoredResponses {
  constructor(private readonly home: HomeStore) {}

  /**
   * Executes a request, or returns the response that is stored for its Idempotency-Key.
   *
   * @throws LockkeeperError idempotency_key_reused, unknown_outcome or unavailable; the error from `handle` if `handle`
   * fails
   */
  async runOnce(
    call: IdempotentCall,
    handle: () => Promise<ApiResponse> | ApiResponse,
  ): Promise<ApiResponse> {
    const { principal, requestId, request, body } = call;
    const id = `${principal.id}\n${requestId}`;
    const name = `${HOME_PREFIX}answer:${hashSha256(id)}`;
    const seal = `${id}\n${request.header("authorization") ?? request.header("cookie")}`;
    const digest = hashSha256(`${request.method} ${request.path}\n${JSON.stringify(body)}`);
    const ownEntry: StoredEntry = { by: randomBytes(9).toString("base64url"), digest };
    for (const until = performance.now() + WAIT_MAX_MS; performance.now() < until; await sleep(POLL_MS)) {
      const found = await this.#claim(name, ownEntry);
      if (found === undefined) continue;
      if (found.by === ownEntry.by) return await this.#runAndStore(name, seal, ownEntry, handle);
      if (found.digest !== digest) {
        throw new IdempotencyKeyReusedError(
          "This Idempotency-Key was used for another request. Use a new one for a new request.",
        );
      }
      if (found.sealed !== undefined) return openSealed(found.sealed, seal);
    }
    throw new UnknownOutcomeError(
      "A request with this Idempotency-Key was started and has no outcome yet. Check whether it was done before you retry with another key.",
    );
  }

  /**
   * Claims the execution of a request, unless another call has already claimed it.
   *
   * @returns the stored claim, which may belong to another call, or `undefined` if the claim has expired or was deleted
   */
  async #claim(name: string, ownEntry: StoredEntry): Promise<StoredEntry | undefined> {
    // Both commands can be repeated after a lost reply, because `by` shows whether this call owns the claim.
    await this.home.run((redis) => redis.set(name, JSON.stringify(ownEntry), "PX", ANSWER_TTL_MS, "NX"));
    const found = await this.home.run((redis) => redis.get(name));
    return found === null ? undefined : StoredEntry.parse(JSON.parse(found));
  }

  async #runAndStore(
    name: string,
    seal: string,
    ownEntry: StoredEntry,
    handle: () => Promise<ApiResponse> | ApiResponse,
  ): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = await handle();
    } catch (error) {
      // The claim is deleted if the request was certainly not executed, so that it can be retried with the same
      // Idempotency-Key.
      const isCertain = error instanceof LockkeeperError && !(error instanceof UnknownOutcomeError);
      if (isCertain) await this.home.run((redis) => redis.del(name)).catch(() => undefined);
      throw error;
    }
    const { status, headers, body } = response;
    if (typeof body !== "string") return response;
    const entry: StoredEntry = {
      ...ownEntry,
      sealed: sealText(JSON.stringify({ status, headers, body }), seal),
    };
    // The request was executed, so its response is returned even if it cannot be stored.
    await this.home
      .run((redis) => redis.set(name, JSON.stringify(entry), "PX", ANSWER_TTL_MS))
      .catch(() => undefined);
    return response;
  }
}

const deriveKey = (seal: string, salt: Uint8Array) =>
  Buffer.from(hkdfSync("sha256", seal, salt, "lockkeeper answer", 32));

function sealText(text: string, seal: string): string {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", deriveKey(seal, salt), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, iv, cipher.getAuthTag(), body]).toString("base64");
}

function openSealed(text: string, seal: string): ApiResponse {
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv(
    "aes-256-gcm",
    deriveKey(seal, bytes.subarray(0, 16)),
    bytes.subarray(16, 28),
  );
  decipher.setAuthTag(bytes.subarray(28, 44));
  return StoredResponse.parse(JSON.parse(decryptText(decipher, bytes.subarray(44))));
}

function decryptText(decipher: Decipher, bytes: Uint8Array): string {
  try {
    return Buffer.concat([decipher.update(bytes), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new UnknownOutcomeError(
      "The response to this Idempotency-Key can only be returned to the credentials that sent the first request. Check whether it was done before you retry with another key.",
      { cause },
    );
  }
}
