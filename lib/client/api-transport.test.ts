import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiError } from "./api-error.ts";
import { type ApiRequest, ApiTransport } from "./api-transport.ts";

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}
type Answer = Response | "reset" | "refused" | "silent";

let sent: Sent[];
/** Results of the requests, in order. The last result applies to all further requests. */
let answers: Answer[];

// Duration of each request in ms. A request to a silent server lasts until the client aborts it.
const REQUEST_MS = 30;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});
afterEach(() => vi.useRealTimers());

const send: typeof fetch = async (input, init) => {
  const headers = init?.headers as Record<string, string>;
  sent.push({ url: String(input), headers, body: init?.body && JSON.parse(String(init.body)) });
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  expect(init?.redirect).toBe("manual");
  init?.signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    if (answer !== "silent") setTimeout(resolve, REQUEST_MS);
    init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
  if (answer instanceof Response) return answer.clone();
  const code = answer === "refused" ? "ECONNREFUSED" : "ECONNRESET";
  throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
};

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { type: "/problems", title: "Title", status, code, detail: `Detail of ${code}.` }, headers);
const html = (status: number) => new Response("<html>", { status, headers: { "content-type": "text/html" } });
const GRANTED = json(201, { it: "is yours" });

const URLS = ["http://a:1/base/", "http://b:2"];
const REQUEST: ApiRequest = {
  method: "POST",
  path: "/locks/x/acquire",
  body: { owner: "me" },
  idempotencyKey: "k1",
  retryForMs: 1000,
  timeoutMs: 300,
};

/** Sends a request and advances the fake timers until the request has settled. */
async function request(more: Partial<ApiRequest> = {}, urls: readonly string[] = URLS) {
  const transport = new ApiTransport({ urls, apiKey: "lk_1", fetch: send });
  const response = transport.request({ ...REQUEST, ...more }).catch((error: ApiError) => error);
  await vi.runAllTimersAsync();
  return await response;
}

describe("ApiTransport", () => {
  it("a request carries the API key, the idempotency key and the body below the base path", async () => {
    answers = [GRANTED];
    expect(await request()).toMatchObject({ status: 201, value: { it: "is yours" }, unansweredAttempts: 0 });
    expect(sent).toEqual([
      {
        url: "http://a:1/base/api/v1/locks/x/acquire",
        headers: {
          accept: "application/json",
          authorization: "Bearer lk_1",
          "content-type": "application/json",
          "idempotency-key": "k1",
        },
        body: { owner: "me" },
      },
    ]);
  });

  it("a request without a response is repeated on the next server under the same key", async () => {
    answers = ["reset", "silent", html(502), html(504), problem(503, "unknown_outcome"), GRANTED];
    expect(await request({ retryForMs: 2000 })).toMatchObject({ status: 201, unansweredAttempts: 5 });
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set(["k1"]));
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(["a:1", "b:2", "a:1", "b:2", "a:1", "b:2"]);
  });

  it("the next request starts with the server that responded", async () => {
    const transport = new ApiTransport({ urls: URLS, apiKey: "lk_1", fetch: send });
    answers = ["refused", GRANTED];
    const both = transport.request(REQUEST).then(() => transport.request(REQUEST));
    await vi.runAllTimersAsync();
    await both;
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(["a:1", "b:2", "b:2"]);
  });

  it("the send time is that of the attempt that succeeded", async () => {
    answers = ["silent", GRANTED];
    const begunAt = performance.now();
    expect(await request()).toMatchObject({ sentAt: { monotonic: begunAt + 300 + 20 } });
  });

  it.each([
    [401, "unauthenticated"],
    [403, "forbidden"],
    [404, "not_found"],
    [409, "held"],
    [410, "lost"],
    [422, "idempotency_key_reused"],
    [503, "not_replicated"],
  ])("a refusal is not repeated: %i %s", async (status, code) => {
    answers = [problem(status, code)];
    expect(await request()).toMatchObject({ name: "ApiError", status, code, detail: `Detail of ${code}.` });
    expect(sent).toHaveLength(1);
  });

  it.each([401, 403, 404])("a page of a proxy with status %i is not repeated", async (status) => {
    answers = [html(status)];
    expect(await request()).toMatchObject({
      code: "unexpected_response",
      status,
      detail: `The response of a:1 is not from Lockkeeper (HTTP status ${status}). Check the URL.`,
    });
    expect(sent).toHaveLength(1);
  });

  it("a page with status 200 is repeated, and ends a long wait after retryForMs", async () => {
    answers = [html(200)];
    const begunAt = performance.now();
    const error = await request({ waitMs: Number.POSITIVE_INFINITY });
    expect(error).toMatchObject({ code: "unexpected_response", status: 200 });
    expect(sent.length).toBeGreaterThan(3);
    expect(performance.now() - begunAt).toBeLessThan(1400);
  });

  it("a redirect is not followed", async () => {
    answers = [new Response(null, { status: 308, headers: { location: "https://c/\u001b[2Japi" } })];
    expect(await request()).toMatchObject({
      code: "unexpected_response",
      detail: "a:1 redirects to https://c/\ufffd[2Japi. Use that URL.",
    });
  });

  it("a server that cannot be reached has the code unavailable, and no attempt is unanswered", async () => {
    answers = ["refused"];
    expect(await request({ retryForMs: 200 })).toMatchObject({
      code: "unavailable",
      status: undefined,
      unansweredAttempts: 0,
      detail: expect.stringContaining("(ECONNREFUSED)"),
    });
    answers = ["reset", "refused"];
    const unknown = { code: "unknown_outcome", unansweredAttempts: 1 };
    expect(await request({ retryForMs: 200 })).toMatchObject(unknown);
  });

  it("Retry-After is respected in both forms", async () => {
    for (const format of [() => "2", () => new Date(Date.now() + 2000).toUTCString()]) {
      const value = format();
      answers = [problem(429, "rate_limited", { "retry-after": value }), GRANTED];
      const begunAt = performance.now();
      expect(await request({ retryForMs: 3000 })).toMatchObject({ status: 201 });
      expect(performance.now() - begunAt).toBeGreaterThan(1000);
    }
    answers = [problem(429, "rate_limited", { "retry-after": "60" })];
    expect(await request({ retryForMs: 3000 })).toMatchObject({ code: "rate_limited", status: 429 });
  });

  it("another server is asked without waiting for Retry-After of the one that is stopping", async () => {
    answers = [problem(503, "unavailable", { "retry-after": "5" }), GRANTED];
    const begunAt = performance.now();
    expect(await request()).toMatchObject({ status: 201 });
    expect(performance.now() - begunAt).toBeLessThan(200);
  });

  it("a POST without an idempotency key is not repeated if it may have been carried out", async () => {
    answers = ["reset"];
    expect(await request({ idempotencyKey: undefined })).toMatchObject({ code: "unknown_outcome" });
    expect(sent).toHaveLength(1);
    answers = ["refused", GRANTED];
    expect(await request({ idempotencyKey: undefined })).toMatchObject({ status: 201 });
    answers = ["reset", GRANTED];
    expect(await request({ method: "GET", idempotencyKey: undefined })).toMatchObject({ status: 201 });
  });

  it("a long wait is sent in parts of 55 s under the same key", async () => {
    const begunAt = performance.now();
    answers = [problem(409, "timeout")];
    // Simulates the wait of the server, because `send` responds after 30 ms.
    const waiting: typeof fetch = async (input, init) => {
      const { waitMs } = JSON.parse(String(init?.body));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return await send(input, init);
    };
    const transport = new ApiTransport({ urls: URLS, fetch: waiting });
    const response = transport.request({ ...REQUEST, waitMs: 120_000 }).catch((error: ApiError) => error);
    await vi.runAllTimersAsync();
    expect(await response).toMatchObject({ code: "timeout", unansweredAttempts: 0 });
    expect(sent.map(({ body }) => body)).toMatchObject([
      { waitMs: 55_000 },
      { waitMs: 55_000 },
      { owner: "me", waitMs: 120_000 - 2 * (55_000 + REQUEST_MS) },
    ]);
    expect(performance.now() - begunAt).toBeLessThan(121_000);
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it("the time limit of an attempt includes the wait", async () => {
    answers = ["silent", GRANTED];
    const begunAt = performance.now();
    expect(await request({ waitMs: 2000 })).toMatchObject({ status: 201, unansweredAttempts: 1 });
    expect(performance.now() - begunAt).toBeGreaterThan(2299);
    expect(sent[1]?.body).toMatchObject({ waitMs: 1 });
  });

  it("an abort ends the request, its pause and its wait", async () => {
    for (const [answer, abortAfterMs] of [
      ["silent", 100],
      ["refused", 35],
    ] as const) {
      answers = [answer];
      const abort = new AbortController();
      setTimeout(() => abort.abort(), abortAfterMs);
      const begunAt = performance.now();
      expect(await request({ signal: abort.signal, waitMs: 50_000 })).toMatchObject({ code: "aborted" });
      expect(performance.now() - begunAt).toBe(abortAfterMs);
    }
  });

  it("codes of a newer server count as the general code of their status", async () => {
    answers = [problem(403, "blocked")];
    expect(await request()).toMatchObject({ code: "forbidden", problem: { code: "blocked" } });
    answers = [problem(500, "disk_full"), GRANTED];
    expect(await request()).toMatchObject({ status: 201, unansweredAttempts: 1 });
  });

  it("details contain no control characters", async () => {
    answers = [json(409, { code: "held", detail: "by \u001b[31mme\u202e" })];
    expect(await request()).toMatchObject({ detail: "by \ufffd[31mme\ufffd" });
  });

  it("JSON that is not a problem document is a response of a proxy", async () => {
    answers = [json(503, { message: "no upstream" }), json(502, [] as object), GRANTED];
    expect(await request()).toMatchObject({ status: 201, unansweredAttempts: 2 });
    answers = [json(400, { error: "bad" })];
    expect(await request()).toMatchObject({ code: "unexpected_response", status: 400 });
  });
});
