import { z } from "zod";

/** The subset of JSON Schema that the fuzz test reads. Validation is done by zod. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: unknown;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
}

interface ContentObject {
  readonly [type: string]: {
    readonly schema?: JsonSchema;
    /** Schemas of the messages of an event stream, by message name. */
    readonly "x-events"?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}

export interface FuzzParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface OperationObject {
  readonly security?: readonly object[];
  readonly parameters?: readonly FuzzParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: ContentObject };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: ContentObject }>
  >;
}

/** The subset of an OpenAPI document that defines the valid requests and responses. */
export interface DocumentObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface FuzzOperation {
  /** Method and path template, such as `POST /api/v1/locks/{key}/acquire`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly FuzzParameter[];
  readonly body: JsonSchema | undefined;
  /** Whether the operation accepts requests without credentials. */
  readonly isOpen: boolean;
  readonly responses: OperationObject["responses"];
}

const REFERENCE_PREFIX = "#/components/schemas/";

/** The operations and schemas of an OpenAPI document. */
export class FuzzDocument {
  readonly operations: readonly FuzzOperation[];
  readonly #schemas: DocumentObject["components"]["schemas"];
  readonly #defs: object;
  readonly #compiled = new Map<JsonSchema, z.ZodType>();

  constructor({ paths, components }: DocumentObject) {
    this.#schemas = components.schemas;
    this.#defs = relocateReferences(components.schemas);
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, text]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: text.parameters ?? [],
        body: text.requestBody?.content["application/json"]?.schema,
        isOpen: text.security?.length === 0,
        responses: text.responses,
      })),
    );
  }

  /** Returns the schema that a chain of references ends at, or the schema itself if it is not a reference. */
  resolve(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    const found = this.#schemas[schema.$ref.slice(REFERENCE_PREFIX.length)];
    if (found === undefined)
      throw new Error(`The document refers to ${schema.$ref}, which it does not have.`);
    return this.resolve(found);
  }

  /**
   * Validates a value against a schema.
   *
   * @returns a description of the first fault, or undefined if the value matches
   */
  findFault(schema: JsonSchema, value: unknown): string | undefined {
    const { success, error } = this.#compile(schema).safeParse(value);
    if (success) return undefined;
    const [issue] = error.issues;
    return `${issue?.path.map(String).join(".") || "(root)"}: ${issue?.message}`;
  }

  #compile(schema: JsonSchema): z.ZodType {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = z.fromJSONSchema({ ...relocateReferences(schema), $defs: this.#defs } as Parameters<
      typeof z.fromJSONSchema
    >[0]);
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}

/**
 * Converts a schema for zod, which resolves references only in `$defs` and does not support Unicode classes in
 * patterns. Objects without `additionalProperties` are closed, because the server's responses must contain only
 * documented properties.
 */
function relocateReferences(schema: object): object {
  const text = JSON.stringify(schema, (name, value) => {
    const isLeftOut = name === "discriminator" || (name === "pattern" && String(value).includes("\\p{"));
    if (isLeftOut) return undefined;
    const isOpen = value?.properties !== undefined && value.additionalProperties === undefined;
    return isOpen && name !== "properties" ? { ...value, additionalProperties: false } : value;
  });
  return JSON.parse(text.replaceAll(REFERENCE_PREFIX, "#/$defs/"));
}
