import type { MediaObject, ParameterObject, ReferenceOperation } from "./document.ts";

/** A request as a snippet writes it: an operation with its examples filled in. */
export interface SampleRequest {
  /** What the snippet is called, such as `acquireLock`. */
  readonly name: string;
  readonly method: string;
  /** From the root of the server, encoded. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent as JSON. */
  readonly body?: unknown;
  /** Whether the answer goes on until one side closes it. */
  readonly isStream: boolean;
}

/** The first example of everything that is required, and of the body. */
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
