import type { ApiVersionName } from "../servers/api-version.ts";

/** The server that the client process calls, and the API key. */
export interface ClientTarget {
  readonly url: string;
  readonly secret: string;
  readonly apiVersion: ApiVersionName;
}

export type ClientRequest =
  | {
      readonly do: "start";
      readonly target: ClientTarget;
      readonly ratePerSecond: number;
      readonly name: string;
    }
  | { readonly do: "count" }
  | { readonly do: "stop" };

/** The measurements of the ordinary client. Times are in milliseconds. */
export interface ClientResult {
  /** Time from when each acquire was due to its response. A delay by earlier acquires is included. */
  readonly acquireMs: readonly number[];
  /** Number of acquires and releases that were rejected or got no response, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** Longest response time of `/healthz`. A request without a response counts with the time until it was abandoned. */
  readonly healthzMsMax: number;
  readonly healthzFailures: number;
  /** Number of responses of `GET /targets`, by the state of the target. */
  readonly states: Readonly<Record<string, number>>;
}

export type ClientResponse =
  | { readonly is: "started" }
  | { readonly is: "counted"; readonly acquires: number }
  | { readonly is: "stopped"; readonly result: ClientResult };
