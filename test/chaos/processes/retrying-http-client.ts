import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "../../../lib/contract/error.ts";
import { getCurrentMoment, type Moment } from "../../../server/locks/verbs/moment.ts";
import type { Attempts } from "./locking-client.ts";
import type { HttpAccess } from "./task.ts";

/** The API's own budget for a verb is two seconds: whoever gives up later hears what became of it. */
const ANSWER_MS = 2500;
const PAUSE_MS = [20, 300] as const;

/** The API said no, or nothing: `unanswered`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly code: string,
    readonly asked: number,
  ) {
    super(code);
  }
}

export interface HttpCall {
  /** Below `/api/v1`. */
  readonly path: string;
  /** undefined: it is a GET, which asks and changes nothing. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** For how long it is asked again when there is no answer. */
  readonly forMs: number;
  /** How long one try may take; as long as the API may need by default. */
  readonly tryMs?: number;
  /** For how long the request may be held open, in all tries together. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer<Value> extends Required<Attempts> {
  readonly value: Value;
  /** Before the request that was answered was sent. */
  readonly sentAt: Moment;
}

/** One request is held open for this long at most; it is asked again under the same id and keeps its place. */
const TRY_GROWTH_MS = 2500;

/**
 * Calls of the API as an app makes them: an Idempotency-Key each, under which the next server is asked the same when
 * there was no answer.
 */
export class RetryingHttpClient {
  #at = 0;

  constructor(private readonly access: HttpAccess) {}

  /** @throws ApiError */
  async request<Value>(call: HttpCall, parse: (body: unknown) => Value): Promise<HttpAnswer<Value>> {
    const id = randomUUID();
    const waitUntil = performance.now() + (call.waitMs ?? 0);
    const until = waitUntil + call.forMs;
    let asked = 1;
    for (let pauseMs: number = PAUSE_MS[0]; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS[1])) {
      const leftMs = Math.max(0, Math.round(waitUntil - performance.now()));
      const at = this.#at;
      const sentAt = getCurrentMoment();
      const { code, body } = await this.#send(call, id, Math.min(leftMs, TRY_GROWTH_MS));
      if (code === undefined) return { value: parse(body), sentAt, asked };
      if (call.signal?.aborted) throw new ApiError("aborted", asked);
      if (code === "timeout" && leftMs > TRY_GROWTH_MS) continue;
      const isUnknown = code === "unanswered" || code === "unknown_outcome";
      const isOver = performance.now() + pauseMs > until;
      if (isUnknown) asked++;
      if (isOver || !(isUnknown || code === "unavailable")) throw new ApiError(code, asked);
      if (this.#at === at) this.#at++;
      await sleep(pauseMs);
    }
  }

  async #send({ path, body, tryMs, waitMs, signal }: HttpCall, id: string, stretchMs: number) {
    const { urls, apiKey } = this.access;
    const url = `${urls[this.#at % urls.length]}/api/v1${path}`;
    const tooLong = AbortSignal.timeout(stretchMs + (tryMs ?? ANSWER_MS));
    const authorization = `Bearer ${apiKey}`;
    const request = {
      method: "POST",
      headers: { authorization, "content-type": "application/json", "idempotency-key": id },
      body: JSON.stringify(waitMs === undefined ? body : { ...body, waitMs: stretchMs }),
    };
    try {
      const response = await fetch(url, {
        ...(body === undefined ? { headers: { authorization } } : request),
        signal: signal === undefined ? tooLong : AbortSignal.any([signal, tooLong]),
      });
      const answer: unknown = await response.json();
      return { code: response.ok ? undefined : Problem.parse(answer).code, body: answer };
    } catch (error) {
      return { code: isNoAnswer(error) ? ("unanswered" as const) : String(error), body: undefined };
    }
  }
}

/** The connection broke, or it took too long. Anything else is an answer that the API must not give. */
function isNoAnswer(error: unknown): boolean {
  if (error instanceof DOMException) return true;
  return error instanceof TypeError && (error.message === "fetch failed" || error.message === "terminated");
}
