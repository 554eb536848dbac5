import fc from "fast-check";
import type { Document, Operation, Parameter } from "./fuzz-document.ts";
import {
  HOSTILE_BODIES,
  HOSTILE_HEADERS,
  HOSTILE_SEGMENTS,
  HOSTILE_TEXTS,
  HOSTILE_TYPES,
} from "./hostile.ts";
import { Values } from "./value-generator.ts";

/** Sent as it is: neither JSON is made of it nor is it percent-encoded. */
export class Raw {
  constructor(readonly content: string | Uint8Array) {}
}

export type Credentials = "key" | "session" | "wrong" | "none";

/** A request before it is known what the server has told until then. */
export interface Plan {
  readonly operation: Operation;
  readonly method: string;
  /** By the name of the parameter; of a path, a text or what stands there raw. */
  readonly path: Readonly<Record<string, unknown>>;
  /** In their order; a name may stand there twice. */
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** undefined: none. */
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly credentials: Credentials;
}

const JSON_TYPE = "application/json";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
const IDEMPOTENCY = fc.constantFrom("id-1", "id-2", "id-3", "!", "x".repeat(128), '"quoted"');

/** What may be sent to an operation: by the document, nearly so, and not at all so. */
export class Plans {
  readonly #values: Values;

  constructor(document: Document) {
    this.#values = new Values(document);
  }

  of(operation: Operation): fc.Arbitrary<Plan> {
    const fits = this.fitting(operation);
    const bent = fc
      .oneof(...this.#bends(operation))
      .chain((bend) => fits.map((plan) => ({ ...plan, ...bend })));
    return fc.oneof({ weight: 5, arbitrary: fits }, { weight: 6, arbitrary: bent });
  }

  /** Such as the document allows. */
  fitting(operation: Operation): fc.Arbitrary<Plan> {
    const { parameters, body, method } = operation;
    return fc.record({
      operation: fc.constant(operation),
      method: fc.constant(method),
      path: this.#path(operation),
      query: this.#query(parameters),
      headers: parameters.some(({ name }) => name === "Idempotency-Key")
        ? fc.oneof(
            fc.constant<Plan["headers"]>({}),
            IDEMPOTENCY.map((id) => ({ "idempotency-key": id })),
          )
        : fc.constant<Plan["headers"]>({}),
      body: body === undefined ? fc.constant(undefined) : this.#values.fitting(body),
      contentType: fc.constant(body === undefined ? undefined : JSON_TYPE),
      credentials: fc.constantFrom<Credentials>("key", "key", "key", "key", "key", "key", "session"),
    });
  }

  #path({ path, parameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
    const named = parameters.filter((each) => each.in === "path");
    const segments = path.split("/");
    const values = named.map(({ name, schema }) => {
      const of = segments[segments.indexOf(`{${name}}`) - 1];
      return [name, this.#values.fitting(schema, name === "id" ? `${of}.id` : name)] as const;
    });
    return fc.record(Object.fromEntries(values));
  }

  #query(parameters: readonly Parameter[]): fc.Arbitrary<[string, unknown][]> {
    const named = parameters.filter((each) => each.in === "query");
    const values = named.map(({ name, schema }) => [name, this.#values.fitting(schema, name)] as const);
    const requiredKeys: string[] = named.filter(({ required }) => required).map(({ name }) => name);
    const record: fc.Arbitrary<object> = fc.record(Object.fromEntries(values), { requiredKeys });
    return record.map((each) => Object.entries(each));
  }

  /** Each makes one part of a request wrong. */
  #bends(operation: Operation): fc.Arbitrary<Partial<Plan>>[] {
    const { parameters, body } = operation;
    const bends: fc.Arbitrary<Partial<Plan>>[] = [
      fc.constantFrom(...HOSTILE_HEADERS).map((headers) => ({ headers })),
      fc.constantFrom<Credentials>("wrong", "none").map((credentials) => ({ credentials })),
      fc.constantFrom(...METHODS).map((method) => ({ method })),
      this.#bentQuery(parameters).map((query) => ({ query })),
    ];
    if (parameters.some((each) => each.in === "path")) bends.push(this.#bentPath(parameters));
    if (body === undefined) {
      bends.push(
        fc.constantFrom(...HOSTILE_BODIES).map((text) => ({ body: new Raw(text), contentType: JSON_TYPE })),
      );
      return bends;
    }
    const near = this.#values.near(body).map((value) => ({ body: value }));
    const raw = fc.constantFrom(...HOSTILE_BODIES).map((text) => ({ body: new Raw(text) }));
    const type = fc.constantFrom(...HOSTILE_TYPES).map((contentType) => ({ contentType }));
    return [...bends, near, near, near, raw, type];
  }

  #bentPath(parameters: readonly Parameter[]): fc.Arbitrary<Partial<Plan>> {
    const names = parameters.filter((each) => each.in === "path").map(({ name }) => name);
    const raw = fc.oneof(
      fc.constantFrom(...HOSTILE_SEGMENTS).map((segment) => new Raw(segment)),
      fc.string({ maxLength: 30, unit: "binary" }),
      fc.base64String({ maxLength: 40 }).map((text) => new Raw(`~${text.replaceAll("/", "_")}`)),
    );
    return fc.record(Object.fromEntries(names.map((name) => [name, raw]))).map((path) => ({ path }));
  }

  #bentQuery(parameters: readonly Parameter[]): fc.Arbitrary<[string, unknown][]> {
    const named = parameters.filter((each) => each.in === "query");
    const texts = fc.constantFrom<unknown>(
      ...HOSTILE_TEXTS,
      ...["%", "%zz", "%ED%A0%80", "%00", "+", "&", "=&="].map((text) => new Raw(text)),
    );
    const names = fc.constantFrom(
      ...named.map(({ name }) => name),
      "__proto__",
      "constructor",
      "a[]",
      "x".repeat(200),
    );
    const near = named.map(({ name, schema }) =>
      this.#values.near(schema).map((value): [string, unknown][] => [[name, value]]),
    );
    const odd = fc.array(fc.tuple(names, texts), { minLength: 1, maxLength: 3 });
    const twice = fc.tuple(names, texts, texts).map(([name, a, b]): [string, unknown][] => [
      [name, a],
      [name, b],
    ]);
    return fc.oneof(...near, odd, twice);
  }
}
