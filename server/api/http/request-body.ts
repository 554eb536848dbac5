import { InvalidError, TooLargeError, UnsupportedMediaTypeError } from "../../errors/request-errors.ts";
import type { ApiRequest } from "./http-exchange.ts";

export const BODY_BYTES_MAX = 64 * 1024;

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON body. @throws LockkeeperError unsupported_media_type, too_large, invalid */
export async function readJsonBody(request: ApiRequest, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const length = Number(request.header("content-length") ?? "0");
  if (length > bytesMax) throw createTooLargeError(bytesMax);
  const type = request.header("content-type");
  if (type === undefined || !JSON_TYPE.test(type)) {
    const given = type === undefined ? "it has none" : `it is ${JSON.stringify(type.slice(0, 100))}`;
    throw new UnsupportedMediaTypeError(`The Content-Type must be application/json; ${given}.`);
  }
  const bytes = await request.body(bytesMax);
  if (bytes === undefined) throw createTooLargeError(bytesMax);
  const text = decodeUtf8(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be parsed";
    throw new InvalidError(`The body is not JSON: ${why.slice(0, 200)}.`, {});
  }
}

/** Returns whether the request has a body, according to its headers. */
export function hasBody(request: ApiRequest): boolean {
  return (
    Number(request.header("content-length") ?? "0") > 0 || request.header("transfer-encoding") !== undefined
  );
}

/** Maximum size in bytes of a body that contains only an empty object, including whitespace. */
const EMPTY_BODY_BYTES_MAX = 64;

/**
 * Reads and checks the body of a request to a route that takes no body. Accepts `{}`, because many clients send it with
 * every POST.
 *
 * @throws InvalidError unless the body is an empty object, sent as JSON with POST, PUT or PATCH
 */
export async function readEmptyBody(request: ApiRequest): Promise<undefined> {
  const { method } = request;
  if (!["POST", "PUT", "PATCH"].includes(method))
    throw new InvalidError(`${method} does not accept a body here.`, {});
  const body = await readJsonBody(request, EMPTY_BODY_BYTES_MAX).catch(() => undefined);
  const isEmpty = typeof body === "object" && body !== null && Object.keys(body).length === 0;
  if (!isEmpty || Array.isArray(body))
    throw new InvalidError(`${method} accepts no fields here. Send no body, or {} as application/json.`, {});
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new InvalidError("The body is not UTF-8.", {});
  }
}

function createTooLargeError(bytesMax: number): TooLargeError {
  return new TooLargeError(`The body is larger than ${bytesMax} bytes.`);
}
