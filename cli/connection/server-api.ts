import type { z } from "zod";
import { ApiError } from "../../lib/client/api-error.ts";
import { ApiTransport } from "../../lib/client/api-transport.ts";
import { Problem } from "../../lib/contract/error.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import type { ServerConnection } from "./choose-connection.ts";
import { explainProblem } from "./explain-problem.ts";
import {
  explainForeignResponse,
  explainMissingRoute,
  explainNetworkError,
  explainUnreadableResponse,
} from "./server-diagnosis.ts";

const REQUEST_TIMEOUT_MS = 20_000;
/** Time in ms for which failed reads are retried, long enough for a server restart. */
const READ_RETRY_MS = 2000;

export interface ApiCall<Schema extends z.ZodType> {
  readonly method?: "GET" | "POST";
  /** The path below `/api/v1` with encoded parameters, such as `/locks/lock%3Aa`. */
  readonly path: string;
  /** The path in the OpenAPI document, such as `/locks/{key}`. */
  readonly route: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly schema: Schema;
}

export interface ApiResult<Value> {
  readonly value: Value;
  /** `x-request-id` of the response. The audit entry for an action contains the same id. */
  readonly requestId: string | undefined;
}

/** A client for the API of one server. Converts failures to errors for the user. */
export class ServerApi {
  readonly #transport: ApiTransport;

  /** @throws CliError if the API key is malformed */
  constructor(
    readonly connection: ServerConnection,
    /** Version of the command line, shown in errors about incompatible servers. */
    private readonly version: string,
  ) {
    try {
      this.#transport = new ApiTransport({ urls: [connection.url], apiKey: connection.apiKey });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new CliError(error.detail, EXIT_CODES.failure);
    }
  }

  /** Sends a request like `call`, but returns only the value. @throws CliError for the same reasons as `call` */
  async read<Schema extends z.ZodType>(call: ApiCall<Schema>): Promise<z.output<Schema>> {
    return (await this.call(call)).value;
  }

  /**
   * Sends a request. Retries failed GET requests for up to 2 s.
   *
   * @throws CliError if the request fails or the response does not match `call.schema`
   */
  async call<Schema extends z.ZodType>(call: ApiCall<Schema>): Promise<ApiResult<z.output<Schema>>> {
    const { method = "GET", path, route, query, body, schema } = call;
    const request = { method, path: path + this.#buildSearch(query), body, timeoutMs: REQUEST_TIMEOUT_MS };
    const retryForMs = method === "GET" ? READ_RETRY_MS : 0;
    const response = await this.#transport
      .request({ ...request, retryForMs })
      .catch(async (error: unknown) => {
        throw error instanceof ApiError ? await this.#explainError(error, method, route) : error;
      });
    const parsed = schema.safeParse(response.value);
    if (!parsed.success) throw await explainUnreadableResponse(this.connection.url, this.version);
    return { value: parsed.data, requestId: response.headers.get("x-request-id") ?? undefined };
  }

  /**
   * Opens a stream and returns the response, even if its status is an error.
   *
   * @throws TypeError if the connection fails; the abort reason if `signal` is aborted
   */
  async openStream(
    { path, query }: Pick<ApiCall<z.ZodType>, "path" | "query">,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const { url, apiKey } = this.connection;
    return await fetch(`${url}/api/v1${path}${this.#buildSearch(query)}`, {
      headers: {
        accept: "text/event-stream",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      redirect: "manual",
      signal,
    });
  }

  /** Converts an error response from `openStream` to an error for the user. */
  async explainRefusal(response: Response, route: string): Promise<CliError> {
    const { data: problem } = Problem.safeParse(await response.json().catch(() => undefined));
    if (problem === undefined) return explainForeignResponse(this.connection.url, response.status, undefined);
    return await this.#explainProblem(problem, route);
  }

  async #explainError(error: ApiError, method: "GET" | "POST", route: string): Promise<CliError> {
    const { code, detail, status, problem, cause } = error;
    const { url } = this.connection;
    if (code === "unexpected_response" || (status !== undefined && problem === undefined))
      return explainForeignResponse(url, status, detail);
    if (code === "aborted") throw error;
    if (status === undefined && (code === "unavailable" || method === "GET"))
      return explainNetworkError(url, cause);
    if (status === undefined) {
      return new CliError(
        `${toPrintable(detail)} The request may have been carried out.`,
        EXIT_CODES.unavailable,
      );
    }
    return await this.#explainProblem({ code, detail }, route);
  }

  /**
   * Converts a problem to an error for the user. If the server lacks the route, the error states that its version is
   * too old.
   */
  async #explainProblem(problem: Pick<Problem, "code" | "detail">, route: string): Promise<CliError> {
    const { url } = this.connection;
    const isMissing = problem.code === "not_found" || problem.code === "method_not_allowed";
    const missing = isMissing ? await explainMissingRoute(url, route, this.version) : undefined;
    return missing ?? explainProblem(problem, this.connection);
  }

  #buildSearch(query: ApiCall<z.ZodType>["query"] = {}): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, target: this.connection.target })) {
      if (value !== undefined) search.set(name, value);
    }
    return search.size === 0 ? "" : `?${search}`;
  }
}
