import { z } from "zod";

/** The parts of a JSON schema that the fuzz test reads. zod does the validation. */
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
    /** The messages of a stream, by name. */
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

/** The parts of an OpenAPI document that say what may be sent and what may be returned. */
export interface DocumentObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface FuzzOperation {
  /** The operation as people write it: `POST /api/v1/locks/{key}/acquire`. */
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

/** Gives access to an OpenAPI document as a fuzz test needs it. */
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

  /** Follows references to a schema. */
  resolve(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    const found = this.#schemas[schema.$ref.slice(REFERENCE_PREFIX.length)];
    if (found === undefined)
      throw new Error(`The document refers to ${schema.$ref}, which it does not have.`);
    return this.resolve(found);
  }

  /** Validates a value. @returns what is wrong with it; undefined if it matches the schema */
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
 * Adapts a schema for zod, which looks up references in `$defs` and supports only patterns without Unicode classes.
 * Open unions and objects become closed, because today's responses must contain only what the document names.
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
