import type { Logger } from "pino";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { MethodNotAllowedError, NotFoundError, UnauthenticatedError } from "../errors/request-errors.ts";
import type { Metrics } from "../stats/metrics.ts";
import type { ApiResponse, Exchange } from "./http/http-exchange.ts";
import { toProblemResponse } from "./http/problem.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import { assertAuthorized } from "./routing/authorization.ts";
import type { RequestAuthenticator } from "./routing/request-authenticator.ts";

/**
 * The endpoint from which Prometheus scrapes the metrics. If `access` is `key`, a scrape requires read access to the
 * locks of all targets.
 */
export class MetricsEndpoint {
  #scrapes = 0;

  /** @param metrics `undefined` if metrics are disabled */
  constructor(
    private readonly metrics: Metrics | undefined,
    private readonly access: "key" | "open",
    private readonly authentication: RequestAuthenticator,
    private readonly limits: RateLimits,
    private readonly log: Logger,
    private readonly basePath: string,
  ) {}

  async handle(exchange: Exchange<void>): Promise<void> {
    const requestId = `metrics-${++this.#scrapes}`;
    let response: ApiResponse;
    try {
      response = await this.#createResponse(exchange);
    } catch (error) {
      if (!(error instanceof LockkeeperError)) this.log.error({ err: error, requestId }, "scrape failed");
      response = toProblemResponse(error, this.basePath, requestId);
    }
    exchange.deliver({ response, requestId });
  }

  async #createResponse(request: Exchange<void>): Promise<ApiResponse> {
    if (this.metrics === undefined) throw new NotFoundError("Metrics are off here: LOCKKEEPER_METRICS=off.");
    const { method } = request;
    if (method !== "GET") {
      throw new MethodNotAllowedError("This path supports GET.", { allowed: "GET" });
    }
    const requirements = { method, access: "read", scope: "target" } as const;
    if (this.access === "key")
      assertAuthorized(await this.#authenticate(request, requirements), requirements, undefined, undefined);
    const headers = { "content-type": this.metrics.contentType, "cache-control": "no-store" };
    return { status: 200, headers, body: await this.metrics.renderText() };
  }

  /**
   * Authenticates a scrape. Counts the scrape towards the rate limit of its caller or, if it has no valid credentials,
   * towards the rate limit of its client address.
   */
  async #authenticate(
    request: Exchange<void>,
    requirements: Parameters<RequestAuthenticator["authenticate"]>[1],
  ) {
    try {
      const principal = await this.authentication.authenticate(request, requirements);
      this.limits.consumeForCaller(principal.id);
      return principal;
    } catch (error) {
      if (error instanceof UnauthenticatedError) this.limits.consumeForAddress(request.remoteAddress);
      throw error;
    }
  }
}
