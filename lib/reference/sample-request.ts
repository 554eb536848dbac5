import type { MediaObject, ParameterObject, ReferenceOperation } from "./document.ts";

/** A request for a snippet, built from an operation and its examples. */
export interface SampleRequest {
  /** Operation ID, which is also the name of the snippet, such as `acquireLock`. */
  readonly name: string;
  readonly method: string;
  /** The encoded path and query, without the origin of the server. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request, sent as JSON. */
  readonly body?: unknown;
  /** Whether the response is a stream that stays open. */
  readonly isStream: boolean;
}

/**
 * Creates a request from the first example of the body, and from the example, default or first value of each required
 * parameter.
 */
export function createSampleRequest(operation: ReferenceOperation): SampleRequest {
  const { operationId: name, method, path, parameters = [], requestBody, responses } = operation;
  const required = parameters.filter((parameter) => parameter.required === true);
  const media = requestBody?.content["application/json"];
  const types = Object.values(responses).flatMap(({ content }) => Object.keys(content ?? {}));
  return {
    name,
    method,
    path: buildPath(path, required) + buildQuery(required),
    needsKey: operation["x-access"] !== "anyone",
    headers: Object.fromEntries(
      required.filter((each) => each.in === "header").map((each) => [each.name, getExample(each)]),
    ),
    ...(media === undefined ? {} : { body: getBodyExample(media) }),
    isStream: types.includes("text/event-stream"),
  };
}

function buildPath(path: string, parameters: readonly ParameterObject[]): string {
  const inPath = parameters.filter((each) => each.in === "path");
  return inPath.reduce(
    (text, each) => text.replace(`{${each.name}}`, () => encodeURIComponent(getExample(each))),
    path,
  );
}

function buildQuery(parameters: readonly ParameterObject[]): string {
  const pairs = parameters
    .filter((each) => each.in === "query")
    .map((each) => `${encodeURIComponent(each.name)}=${encodeURIComponent(getExample(each))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function getExample({ schema = {} }: ParameterObject): string {
  return String(schema.example ?? schema.default ?? schema.enum?.[0] ?? "");
}

function getBodyExample({ example, examples }: MediaObject): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? {};
}
