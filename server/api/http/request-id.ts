import type { ApiRequest } from "./http-exchange.ts";

const ACCEPTED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Returns the request id that the client or a proxy sent, or `undefined` if the id is missing, is too long, or contains
 * spaces or characters other than printable ASCII. The log contains this id in addition to Lockkeeper's own request id,
 * because clients can use an id more than once.
 */
export function readClientRequestId(request: Pick<ApiRequest, "header">): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && ACCEPTED_ID.test(given) ? given : undefined;
}
