import type { Logger } from "pino";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { MethodNotAllowedError, NotFoundError, UnauthenticatedError } from "../errors/request-errors.ts";
import type { Metrics } from "../stats/metrics.ts";
import type { ApiResponse, Exchange } from "./http/http-exchange.ts";
import { problemOf } from "./http/problem.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import { authorise } from "./routing/authorization.ts";
import type { Authentication } from "./routing/request-authenticator.ts";

/** Answers Prometheus, at the root of the host; `key`: whoever may read locks may read their figures. */
export class MetricsDoor {
  #scrapes = 0;

  /** @param metrics undefined: they are off */
  constructor(
    private readonly metrics: Metrics | undefined,
    private readonly access: "key" | "open",
    private readonly authentication: Authentication,
    private readonly limits: RateLimits,
    private readonly log: Logger,
  ) {}

  async answer(exchange: Exchange<void>): Promise<void> {
    const requestId = `metrics-${++this.#scrapes}`;
    let response: ApiResponse;
    try {
      response = await this.#response(exchange);
    } catch (error) {
      if (!(error instanceof LockkeeperError)) this.log.error({ err: error, requestId }, "scrape failed");
      response = problemOf(error, requestId);
    }
    exchange.deliver({ response, requestId });
  }

  async #response(request: Exchange<void>): Promise<ApiResponse> {
    if (this.metrics === undefined) throw new NotFoundError("Metrics are off here: LOCKKEEPER_METRICS=off.");
    const { method } = request;
    if (method !== "GET") {
      throw new MethodNotAllowedError("This address takes GET.", { allowed: "GET" });
    }
    // They tell of all targets.
    const asked = { method, access: "read", scope: "target" } as const;
    if (this.access === "key")
      authorise(await this.#principalOf(request, asked), asked, undefined, undefined);
    const headers = { "content-type": this.metrics.contentType, "cache-control": "no-store" };
    return { status: 200, headers, body: await this.metrics.text() };
  }

  /** Scrapes count like other requests, and whoever has no valid credentials may not try for ever, here neither. */
  async #principalOf(request: Exchange<void>, asked: Parameters<Authentication["principalOf"]>[1]) {
    try {
      const principal = await this.authentication.principalOf(request, asked);
      this.limits.takeKnown(principal.id);
      return principal;
    } catch (error) {
      if (error instanceof UnauthenticatedError) this.limits.takeUnknown(request.remoteAddress);
      throw error;
    }
  }
}
