import type { ApiRequest } from "./http-exchange.ts";

const ACCEPTED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Reads the request id that the client or a proxy sent. It is logged alongside Lockkeeper's own id and never replaces
 * it, because clients can reuse it. Characters that could break a log line are removed.
 */
export function readClientRequestId(request: Pick<ApiRequest, "header">): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && ACCEPTED_ID.test(given) ? given : undefined;
}
