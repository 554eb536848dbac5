import fc from "fast-check";
import type { FuzzDocument, FuzzOperation, FuzzParameter } from "./fuzz-document.ts";
import {
  HOSTILE_BODIES,
  HOSTILE_HEADERS,
  HOSTILE_SEGMENTS,
  HOSTILE_TEXTS,
  HOSTILE_TYPES,
} from "./hostile.ts";
import { ValueGenerator } from "./value-generator.ts";

/** Content that is sent unchanged, neither serialized as JSON nor percent-encoded. */
export class RawContent {
  constructor(readonly content: string | Uint8Array) {}
}

export type Credentials = "key" | "session" | "wrong" | "none";

/** A generated request, in which pooled values are still placeholders. */
export interface RequestPlan {
  readonly operation: FuzzOperation;
  readonly method: string;
  /** Values by parameter name. A value becomes one path segment, and is percent-encoded unless it is `RawContent`. */
  readonly path: Readonly<Record<string, unknown>>;
  /** Names and values in the order of the query. A name may occur twice. */
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body before serialization. Undefined for a request without a body. */
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly credentials: Credentials;
}

const JSON_TYPE = "application/json";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
const IDEMPOTENCY_KEYS = fc.constantFrom("id-1", "id-2", "id-3", "!", "x".repeat(128), '"quoted"');

/** Generates valid, nearly valid and invalid requests for an operation. */
export class RequestPlans {
  readonly #values: ValueGenerator;

  constructor(document: FuzzDocument) {
    this.#values = new ValueGenerator(document);
  }

  generate(operation: FuzzOperation): fc.Arbitrary<RequestPlan> {
    const fits = this.generateValid(operation);
    const bent = fc
      .oneof(...this.#listMutations(operation))
      .chain((bend) => fits.map((plan) => ({ ...plan, ...bend })));
    return fc.oneof({ weight: 5, arbitrary: fits }, { weight: 6, arbitrary: bent });
  }

  /** Generates requests that are valid according to the OpenAPI document. */
  generateValid(operation: FuzzOperation): fc.Arbitrary<RequestPlan> {
    const { parameters, body, method } = operation;
    return fc.record({
      operation: fc.constant(operation),
      method: fc.constant(method),
      path: this.#generatePath(operation),
      query: this.#generateQuery(parameters),
      headers: parameters.some(({ name }) => name === "Idempotency-Key")
        ? fc.oneof(
            fc.constant<RequestPlan["headers"]>({}),
            IDEMPOTENCY_KEYS.map((id) => ({ "idempotency-key": id })),
          )
        : fc.constant<RequestPlan["headers"]>({}),
      body: body === undefined ? fc.constant(undefined) : this.#values.generateValid(body),
      contentType: fc.constant(body === undefined ? undefined : JSON_TYPE),
      credentials: fc.constantFrom<Credentials>("key", "key", "key", "key", "key", "key", "session"),
    });
  }

  #generatePath({ path, parameters }: FuzzOperation): fc.Arbitrary<Record<string, unknown>> {
    const named = parameters.filter((each) => each.in === "path");
    const segments = path.split("/");
    const values = named.map(({ name, schema }) => {
      const of = segments[segments.indexOf(`{${name}}`) - 1];
      return [name, this.#values.generateValid(schema, name === "id" ? `${of}.id` : name)] as const;
    });
    return fc.record(Object.fromEntries(values));
  }

  #generateQuery(parameters: readonly FuzzParameter[]): fc.Arbitrary<[string, unknown][]> {
    const named = parameters.filter((each) => each.in === "query");
    const values = named.map(({ name, schema }) => [name, this.#values.generateValid(schema, name)] as const);
    const requiredKeys: string[] = named.filter(({ required }) => required).map(({ name }) => name);
    const record: fc.Arbitrary<object> = fc.record(Object.fromEntries(values), { requiredKeys });
    return record.map((each) => Object.entries(each));
  }

  /** Lists mutations, each of which replaces one element of a valid request by a hostile or invalid one. */
  #listMutations(operation: FuzzOperation): fc.Arbitrary<Partial<RequestPlan>>[] {
    const { parameters, body } = operation;
    const bends: fc.Arbitrary<Partial<RequestPlan>>[] = [
      fc.constantFrom(...HOSTILE_HEADERS).map((headers) => ({ headers })),
      fc.constantFrom<Credentials>("wrong", "none").map((credentials) => ({ credentials })),
      fc.constantFrom(...METHODS).map((method) => ({ method })),
      this.#mutateQuery(parameters).map((query) => ({ query })),
    ];
    if (parameters.some((each) => each.in === "path")) bends.push(this.#mutatePath(parameters));
    if (body === undefined) {
      bends.push(
        fc
          .constantFrom(...HOSTILE_BODIES)
          .map((text) => ({ body: new RawContent(text), contentType: JSON_TYPE })),
      );
      return bends;
    }
    const near = this.#values.generateInvalid(body).map((value) => ({ body: value }));
    const raw = fc.constantFrom(...HOSTILE_BODIES).map((text) => ({ body: new RawContent(text) }));
    const type = fc.constantFrom(...HOSTILE_TYPES).map((contentType) => ({ contentType }));
    return [...bends, near, near, near, raw, type];
  }

  #mutatePath(parameters: readonly FuzzParameter[]): fc.Arbitrary<Partial<RequestPlan>> {
    const names = parameters.filter((each) => each.in === "path").map(({ name }) => name);
    const raw = fc.oneof(
      fc.constantFrom(...HOSTILE_SEGMENTS).map((segment) => new RawContent(segment)),
      fc.string({ maxLength: 30, unit: "binary" }),
      fc.base64String({ maxLength: 40 }).map((text) => new RawContent(`~${text.replaceAll("/", "_")}`)),
    );
    return fc.record(Object.fromEntries(names.map((name) => [name, raw]))).map((path) => ({ path }));
  }

  #mutateQuery(parameters: readonly FuzzParameter[]): fc.Arbitrary<[string, unknown][]> {
    const named = parameters.filter((each) => each.in === "query");
    const texts = fc.constantFrom<unknown>(
      ...HOSTILE_TEXTS,
      ...["%", "%zz", "%ED%A0%80", "%00", "+", "&", "=&="].map((text) => new RawContent(text)),
    );
    const names = fc.constantFrom(
      ...named.map(({ name }) => name),
      "__proto__",
      "constructor",
      "a[]",
      "x".repeat(200),
    );
    const near = named.map(({ name, schema }) =>
      this.#values.generateInvalid(schema).map((value): [string, unknown][] => [[name, value]]),
    );
    const odd = fc.array(fc.tuple(names, texts), { minLength: 1, maxLength: 3 });
    const twice = fc.tuple(names, texts, texts).map(([name, a, b]): [string, unknown][] => [
      [name, a],
      [name, b],
    ]);
    return fc.oneof(...near, odd, twice);
  }
}
