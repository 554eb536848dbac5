import { type OpenApiDocument, operationsOf } from "@/lib/reference/document.ts";

export type Section = ReturnType<typeof sectionsOf>[number];

export function sectionsOf(document: OpenApiDocument) {
  const operations = operationsOf(document);
  return (document.tags ?? []).map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ tags }) => tags?.includes(name)),
  }));
}
