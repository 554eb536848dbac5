import type { ApiRequest } from "./http-exchange.ts";

const ACCEPTED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Returns the request id that the client or a proxy sent; `undefined` if it is too long or has characters that could
 * break a log line. It is logged alongside Lockkeeper's own id and never replaces it, because clients can reuse it.
 */
export function readClientRequestId(request: Pick<ApiRequest, "header">): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && ACCEPTED_ID.test(given) ? given : undefined;
}
