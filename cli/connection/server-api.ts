import type { z } from "zod";
import { Problem } from "../../lib/contract/error.ts";
import type { CliError } from "../output/cli-error.ts";
import type { ServerConnection } from "./choose-connection.ts";
import { explainProblem } from "./explain-problem.ts";
import { diagnoseServer, explainMissingRoute } from "./server-diagnosis.ts";

const REQUEST_TIMEOUT_MS = 20_000;
/** A gateway sends these while the server restarts. Reads are repeated. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const READ_TRIES = 3;
const RETRY_MS = 500;

export interface ApiCall<Schema extends z.ZodType> {
  readonly method?: "GET" | "POST";
  /** The path below `/api/v1` with encoded parameters, such as `/locks/lock%3Aa`. */
  readonly path: string;
  /** The path in the OpenAPI document, such as `/locks/{key}`. */
  readonly route: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly schema: Schema;
}

export interface ApiResult<Value> {
  readonly value: Value;
  /** `x-request-id`, which the audit entry of an action contains. */
  readonly requestId: string | undefined;
}

/** Calls of the API of one server. Failures become errors for the user. */
export class ServerApi {
  constructor(
    readonly connection: ServerConnection,
    /** The version of this command line. */
    private readonly version: string,
  ) {}

  /** @throws CliError */
  async read<Schema extends z.ZodType>(call: ApiCall<Schema>): Promise<z.output<Schema>> {
    return (await this.call(call)).value;
  }

  /** @throws CliError */
  async call<Schema extends z.ZodType>(call: ApiCall<Schema>): Promise<ApiResult<z.output<Schema>>> {
    const response = await this.#send(call);
    if (!response.ok) throw await this.explainFailure(response, call.route);
    const value = call.schema.safeParse(await response.json().catch(() => undefined));
    // An older server can lack fields, and something else than Lockkeeper can respond with JSON.
    if (!value.success) throw await diagnoseServer(this.connection.url, "unreadable", this.version);
    return { value: value.data, requestId: response.headers.get("x-request-id") ?? undefined };
  }

  /** Opens a stream. @throws CliError if the server refuses it @throws TypeError if the connection fails */
  async openStream(
    { path, query }: Pick<ApiCall<z.ZodType>, "path" | "query">,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    return await fetch(this.#buildUrl(path, query), {
      headers: { ...this.#buildHeaders(), accept: "text/event-stream", ...headers },
      redirect: "manual",
      signal,
    });
  }

  /** Explains an error response. Also says if the server is too old to have the route. */
  async explainFailure(response: Response, route: string): Promise<CliError> {
    const { url } = this.connection;
    const problem = Problem.safeParse(await response.json().catch(() => undefined));
    if (!problem.success) return await diagnoseServer(url, response, this.version);
    if (problem.data.code === "not_found" || problem.data.code === "method_not_allowed") {
      const missing = await explainMissingRoute(url, route, this.version);
      if (missing !== undefined) return missing;
    }
    return explainProblem(problem.data, this.connection);
  }

  async #send<Schema extends z.ZodType>(call: ApiCall<Schema>): Promise<Response> {
    const { method = "GET", path, query, body } = call;
    for (let left = method === "GET" ? READ_TRIES : 1; ; left--) {
      try {
        const response = await fetch(this.#buildUrl(path, query), {
          method,
          headers: {
            ...this.#buildHeaders(),
            accept: "application/json",
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          redirect: "manual",
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        });
        if (!GATEWAY_STATUSES.has(response.status) || left <= 1) return response;
        await response.body?.cancel();
      } catch (error) {
        if (left <= 1) throw await diagnoseServer(this.connection.url, error, this.version);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #buildUrl(path: string, query: ApiCall<z.ZodType>["query"] = {}): string {
    const { url, target } = this.connection;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, target })) {
      if (value !== undefined) search.set(name, value);
    }
    return `${url}/api/v1${path}${search.size === 0 ? "" : `?${search}`}`;
  }

  #buildHeaders(): Record<string, string> {
    const { apiKey } = this.connection;
    return {
      "user-agent": `lockkeeper-cli/${this.version}`,
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
  }
}
