import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { ErrorCode } from "../../../lib/contract/error.ts";
import { FORMAT_NAMES } from "../../../lib/contract/format.ts";
import {
  createProblemExample,
  createProblemSchema,
  PROBLEM_OF_CODE,
} from "../../../lib/contract/problems/problem-catalogue.ts";
import { NOTIFICATION_FLAGS } from "../../../lib/contract/target.ts";
import { formatRouteName, listDeclaredRoutes } from "../../../test/support/declared-routes.ts";
import type * as lockErrors from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import type * as operatorErrors from "../../errors/operator-errors.ts";
import type * as redisErrors from "../../errors/redis-errors.ts";
import type * as requestErrors from "../../errors/request-errors.ts";

type ErrorClasses = typeof lockErrors & typeof operatorErrors & typeof redisErrors & typeof requestErrors;

import type { Route } from "../routing/route.ts";
import { buildOpenApiDocument, listErrorCodes } from "./openapi.ts";

interface Json {
  readonly [name: string]: Json | undefined;
}

const routes = listDeclaredRoutes();
const text = JSON.stringify(buildOpenApiDocument(routes));
const document: Json = JSON.parse(text);

/** Returns the faults that `check` finds in the operations. Each fault tells the author of a route what to add. */
function findMissing(check: (route: Route, operation: Json) => (string | false | undefined)[]): string[] {
  return routes.flatMap((route) => {
    const operation = document.paths?.[`/api/v1${route.path}`]?.[route.method.toLowerCase()] ?? {};
    const found = check(route, operation).filter((fault) => typeof fault === "string");
    return found.map((fault) => `${formatRouteName(route)}: ${fault}`);
  });
}

const toList = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);
const resolveSchema = (schema: Json): Json => {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(schema.$ref ?? ""))?.[1];
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
};

/** Lists the missing limits of a schema, such as a string without `maxLength`. */
function findUnlimited(given: Json, where: string): string[] {
  const schema = resolveSchema(given);
  const any = [...toList(schema.anyOf), ...toList(schema.oneOf), ...toList(schema.allOf)];
  if (any.length > 0) return any.flatMap((one) => findUnlimited(one, where));
  if (schema.enum !== undefined || schema.const !== undefined) return [];
  const lacking = (...names: string[]) =>
    names
      .filter((name) => schema[name] === undefined)
      .map((name) => `${where} has no ${name} (say it in zod, or with .meta({ ${name} }))`);
  const type = String(schema.type);
  if (type === "string") return lacking("maxLength");
  if (type === "integer" || type === "number") {
    return lacking(schema.exclusiveMinimum === undefined ? "minimum" : "exclusiveMinimum", "maximum");
  }
  if (type === "array") return [...lacking("maxItems"), ...findUnlimited(schema.items ?? {}, `${where}[]`)];
  const members = Object.entries(schema.properties ?? {});
  return members.flatMap(([name, member]) => findUnlimited(member ?? {}, `${where}.${name}`));
}

/**
 * Returns why an example does not match its schema, or `undefined` if it matches. Members that are not in the schema
 * are mismatches.
 */
function findMismatch(schema: z.ZodType, example: unknown): string | undefined {
  const { success, data, error } = schema.safeParse(example);
  if (!success) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  const [said, parsed] = [JSON.stringify(example), JSON.stringify(data)];
  return said.length > parsed.length
    ? `it has more than its schema says: ${said} against ${parsed}`
    : undefined;
}

it("the OpenAPI document passes an independent OpenAPI 3.1 validator", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(document.openapi).toBe("3.1.1");
});

it("every reference in the OpenAPI document resolves", () => {
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
  expect(names.filter((name) => document.components?.schemas?.[name] === undefined)).toEqual([]);
});

/** Enum values that Lockkeeper does not define: names of formats and flags of Redis. */
const FOREIGN_VALUES: ReadonlySet<unknown> = new Set([...FORMAT_NAMES, ...NOTIFICATION_FLAGS]);

it("every enum value is snake_case", () => {
  const values = new Set<unknown>();
  JSON.parse(text, (name, value) => {
    if (name === "enum" && Array.isArray(value)) for (const each of value) values.add(each);
    return value;
  });
  const words = [...values].filter((value) => typeof value === "string" && !FOREIGN_VALUES.has(value));
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter((word) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(String(word)))).toEqual([]);
});

it("every operation has a unique camelCase id", () => {
  const ids = routes.map(({ operationId }) => operationId);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
});

it("every operation has a summary, a tag and its required access", () => {
  const faults = findMissing((_, operation) => [
    (operation.tags as unknown as string[])?.length !== 1 && "it has no tag",
    String(operation.summary ?? "").length < 10 && "it has no summary",
    operation["x-access"] === undefined && "x-access is missing",
  ]);
  expect(faults).toEqual([]);
});

it("every parameter has a description, a limit and an example", () => {
  const faults = findMissing(({ path }, operation) => {
    const parameters = toList(operation.parameters);
    const named = parameters.filter((each) => String(each.in) === "path").map(({ name }) => `{${name}}`);
    const inPath = path.match(/\{\w+\}/g) ?? [];
    return [
      ...inPath.filter((name) => !named.includes(name)).map((name) => `${name} of the path is not described`),
      ...parameters.flatMap((parameter) => {
        const schema = resolveSchema(parameter.schema ?? {});
        const hasExample = [schema.example, schema.examples, schema.default, schema.enum].some(
          (each) => each !== undefined,
        );
        return [
          parameter.description === undefined && `the parameter ${parameter.name} has no description`,
          !hasExample && `the parameter ${parameter.name} has no example`,
          ...findUnlimited(schema, `the parameter ${parameter.name}`),
        ];
      }),
    ];
  });
  expect(faults).toEqual([]);
});

it("every request body has limits throughout and examples that match its schema", () => {
  const faults = findMissing(({ body, examples = {} }, operation) => {
    if (body === undefined) return [];
    const shown = operation.requestBody?.content?.["application/json"] ?? {};
    return [
      Object.keys(shown.examples ?? {}).length === 0 && "its body has no `examples`",
      ...Object.entries(examples).map(([name, example]) => {
        const { error } = body.safeParse(example);
        return error && `the example "${name}" is not taken: ${error.message}`;
      }),
      ...findUnlimited(shown.schema ?? {}, "the body"),
    ];
  });
  expect(faults).toEqual([]);
});

it("every successful response has an example that matches its schema", () => {
  const faults = findMissing(({ response: { schema, example, stream, messages = {} } }) => [
    schema !== undefined && example === undefined && "its response has no `example`",
    schema !== undefined && example !== undefined && findMismatch(schema, example),
    stream && Object.keys(messages).length === 0 && "its stream has no `messages`",
    ...Object.entries(messages).map(([name, message]) => {
      const fault = findMismatch(message.schema, message.example);
      return fault && `the example of the message ${name}: ${fault}`;
    }),
  ]);
  expect(faults).toEqual([]);
});

it("every response in another type than JSON is text with a text example", () => {
  const faults = findMissing(({ response: { texts = {} } }, operation) =>
    Object.keys(texts).flatMap((type) => {
      const content = operation.responses?.["200"]?.content?.[type] ?? {};
      return [
        String(content.schema?.type) !== "string" && `its ${type} is no string`,
        typeof content.example !== "string" && `its ${type} has no example`,
      ];
    }),
  );
  expect(faults).toEqual([]);
  expect(document.paths?.["/api/v1/audit/export"]?.get?.responses?.["200"]?.content).toHaveProperty([
    "text/csv",
  ]);
});

it("every error response has its code, facts, an example and its headers", () => {
  const faults = findMissing((route, operation) => {
    const answers = Object.values(operation.responses ?? {});
    const shown = answers.flatMap((answer) =>
      Object.keys(answer?.content?.["application/problem+json"]?.examples ?? {}),
    );
    return [
      ...listErrorCodes(route)
        .filter((code) => !shown.includes(code))
        .map((code) => `the code ${code} has no example`),
      answers.some((answer) => answer?.headers?.["x-request-id"] === undefined) && "x-request-id is missing",
    ];
  });
  expect(faults).toEqual([]);
});

it("every stream message has its own schema name", () => {
  const schemas = new Map<string, z.ZodType>();
  for (const { response } of routes) {
    for (const [name, { schema }] of Object.entries(response.messages ?? {})) {
      const id = schema.meta()?.id ?? name;
      expect([id, (schemas.get(id) ?? schema) === schema]).toEqual([id, true]);
      schemas.set(id, schema);
    }
  }
});

describe.each(Object.keys(PROBLEM_OF_CODE) as ErrorCode[])("problem %s", (code) => {
  it("a problem has an example that matches its schema, and a remedy", () => {
    expect(findMismatch(createProblemSchema(code), createProblemExample(code))).toBeUndefined();
    expect(PROBLEM_OF_CODE[code].remedy).toMatch(/^[A-Z].+\.$/);
  });
});

type Thrown = InstanceType<
  Extract<ErrorClasses[keyof ErrorClasses], new (...given: never[]) => LockkeeperError>
>;
type Readonlys<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Readonlys<Value[Name]> }
  : Value;
type DocumentedFacts<Code extends ErrorCode> = Readonlys<
  z.output<z.ZodObject<(typeof PROBLEM_OF_CODE)[Code]["facts"]>>
>;
type ErrorFacts<Code extends ErrorCode> = Readonlys<Extract<Thrown, { code: Code }>["facts"]>;
/** A fact that errors have only inside the client library. No response contains it. */
type LibraryFact = "heldByCaller";
/** The codes of errors whose facts differ from the documented facts. */
type MismatchedFacts = {
  [Code in ErrorCode]: ErrorFacts<Code> extends DocumentedFacts<Code>
    ? Exclude<
        keyof ErrorFacts<Code>,
        keyof DocumentedFacts<Code> | LibraryFact | number | symbol
      > extends infer More
      ? [string extends More ? never : More] extends [never]
        ? never
        : Code
      : never
    : Code;
}[ErrorCode];

it("every error carries the facts that the OpenAPI document lists", () => {
  const misfits: MismatchedFacts[] = [];
  // This is checked at compile time: the compiler error on this line names the codes that do not match.
  const none: never[] = misfits;
  expect(none).toEqual([]);
});
