"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { type OpenApiDocument, resolveSchema, type SchemaObject } from "@/lib/reference/document.ts";
import { formatSchemaLimits, formatSchemaType } from "@/lib/reference/schema-text.ts";
import { Inline } from "./prose.tsx";
import { EnglishText, ReferenceText } from "./reference-text.tsx";

export interface SchemaField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: SchemaObject;
  /** Where the parameter is sent, such as `query`. */
  readonly note?: string;
  /** The translated description. If `undefined`, the description from the schema is shown. */
  readonly translation?: string | undefined;
}

/**
 * Converts the properties of an object schema to fields.
 *
 * @param translations translated descriptions by property name, which replace the descriptions in the schema
 */
export function listSchemaFields(
  document: OpenApiDocument,
  schema: SchemaObject,
  translations: Readonly<Record<string, string>> = {},
): SchemaField[] {
  const { properties = {}, required = [] } = resolveSchema(document, schema);
  return Object.entries(properties).map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    schema: member,
    translation: translations[name],
  }));
}

interface FieldTableProps {
  title?: string;
  fields: readonly SchemaField[];
  document: OpenApiDocument;
}

export function FieldTable({ title, fields, document }: FieldTableProps) {
  if (fields.length === 0) return null;
  return (
    <div>
      {title !== undefined && <h4 className="font-medium">{title}</h4>}
      <dl className="mt-1 border-t border-line-soft">
        {fields.map((field) => (
          <FieldRow key={field.name} field={field} document={document} />
        ))}
      </dl>
    </div>
  );
}

function FieldRow({
  field: { name, isRequired, schema, note, translation },
  document,
}: {
  field: SchemaField;
  document: OpenApiDocument;
}) {
  const messages = useMessages(docs);
  const description = translation ?? resolveSchema(document, schema).description;
  const limits = formatSchemaLimits(document, schema, messages.limits);
  const Text = translation === undefined ? EnglishText : ReferenceText;
  const facts = [note, isRequired ? messages.required : undefined].filter((fact) => fact !== undefined);
  return (
    <div className="grid gap-x-4 border-b border-line-soft py-1.5 sm:grid-cols-[180px_minmax(0,1fr)]">
      <dt>
        <span translate="no" className="font-mono text-sm font-medium break-all">
          {name}
        </span>
        {facts.length > 0 && <span className="text-xs text-ink-3"> {facts.join(messages.between)}</span>}
      </dt>
      <dd className="min-w-0">
        <span translate="no" className="font-mono text-sm break-words text-ink-2">
          {formatSchemaType(document, schema)}
        </span>
        {limits !== "" && <span className="text-sm break-words text-ink-3">{` · ${limits}`}</span>}
        {description !== undefined && (
          <p className="max-w-[70ch] text-ink-2">
            <Text>
              <Inline text={description} />
            </Text>
          </p>
        )}
      </dd>
    </div>
  );
}
