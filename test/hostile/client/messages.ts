import type { ApiVersionName } from "../servers/api-version.ts";

/** The address to which the client process sends requests. */
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

/** The measurements of an ordinary client. Times are in milliseconds. */
export interface ClientResult {
  /** From the time at which each acquire was due, whether or not an earlier one delayed it. */
  readonly acquireMs: readonly number[];
  /** Acquires and releases that were refused or not answered, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** Longest response of `/healthz`. A request without a response counts until it was abandoned. */
  readonly healthzMsMax: number;
  readonly healthzFailures: number;
  /** States of the target that `GET /targets` returned, with the number of responses. */
  readonly states: Readonly<Record<string, number>>;
}

export type ClientResponse =
  | { readonly is: "started" }
  | { readonly is: "counted"; readonly acquires: number }
  | { readonly is: "stopped"; readonly result: ClientResult };
