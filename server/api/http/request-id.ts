import type { ApiRequest } from "./http-exchange.ts";

const ACCEPTED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * The id that the caller, or a proxy before us, has given its request. It stands beside ours in the log and is never
 * taken for ours: callers choose it, and may choose one twice. What could break a line of a log is left out.
 */
export function readClientRequestId(request: Pick<ApiRequest, "header">): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && ACCEPTED_ID.test(given) ? given : undefined;
}
