import { listOperations, type OpenApiDocument } from "@/lib/reference/document.ts";

export type Section = ReturnType<typeof groupOperationsByTag>[number];

export function groupOperationsByTag(document: OpenApiDocument) {
  const operations = listOperations(document);
  return (document.tags ?? []).map(({ name, label = name, description }) => ({
    name,
    label,
    description,
    operations: operations.filter(({ tags }) => tags?.includes(name)),
  }));
}
