import { InvalidError, TooLargeError, UnsupportedMediaTypeError } from "../locks/errors.ts";
import type { ApiRequest } from "./http.ts";

export const BODY_BYTES_MAX = 64 * 1024;

/** Reads a JSON body. @throws LockkeeperError unsupported_media_type, too_large, invalid */
export async function readJson(request: ApiRequest): Promise<unknown> {
  const length = Number(request.header("content-length") ?? "0");
  if (length > BODY_BYTES_MAX) throw tooLarge();
  const type = request.header("content-type");
  if (type === undefined || !/^application\/json\s*(;|$)/i.test(type)) {
    const given = type === undefined ? "it has none" : `it is ${JSON.stringify(type.slice(0, 100))}`;
    throw new UnsupportedMediaTypeError(`The Content-Type must be application/json; ${given}.`);
  }
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be parsed";
    throw new InvalidError(`The body is not JSON: ${why.slice(0, 200)}.`, {});
  }
}

async function readText(request: ApiRequest): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new InvalidError("The body is not UTF-8.", {});
  }
}

function tooLarge(): TooLargeError {
  return new TooLargeError(`The body is larger than ${BODY_BYTES_MAX} bytes.`);
}
