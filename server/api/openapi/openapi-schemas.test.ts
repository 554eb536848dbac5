import { describe, expect, it } from "vitest";
import { listDeclaredRoutes } from "../../../test/support/declared-routes.ts";
import { buildOpenApiDocument } from "./openapi.ts";

/** Any node of the OpenAPI document. */
interface Json {
  readonly [name: string]: Json | undefined;
}
interface Place {
  readonly path: string;
  readonly node: Json;
}

const document: Json = JSON.parse(JSON.stringify(buildOpenApiDocument(listDeclaredRoutes())));
const schemas: Json = document.components?.schemas ?? {};
/** Members whose values are data instead of schemas. */
const DATA_MEMBERS = new Set(["example", "examples", "default", "enum", "mapping", "x-events"]);

const places = [
  ...collectPlaces(schemas, "#/components/schemas"),
  ...collectPlaces(document.paths ?? {}, "#/paths"),
];
const toList = (json: Json | undefined): unknown[] => (Array.isArray(json) ? json : []);
const listTypes = ({ type }: Json): unknown[] => (Array.isArray(type) ? type : [type]);

function collectPlaces(node: Json, path: string): Place[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.entries(node).flatMap(([name, member]) =>
    member === undefined || DATA_MEMBERS.has(name) ? [] : collectPlaces(member, `${path}/${name}`),
  );
  return [{ path, node }, ...inside];
}

/** Matches the paths of numbers that are not integers: shares, rates and weighted counts. */
const RATIOS = /\/(share|afterShare|acquisitionsPerS|samples|perSecond)$/;
const isTime = (path: string) =>
  /(Ms|At|Us|Until|Since|\/asOf|\/now|\/since|\/until|\/at|\/from|\/to|\/lastSeen|\/p50|\/p95)$/.test(path);

describe("schemas that generators can use", () => {
  it("every number is a 64-bit integer but ratios and small integers", () => {
    const reals = places.filter(({ path, node }) => listTypes(node).includes("number") && !RATIOS.test(path));
    expect(reals.map(({ path }) => path)).toEqual([]);
  });

  it("every time and duration in a response is int64", () => {
    const times = places.filter(
      ({ path, node }) =>
        path.startsWith("#/components/schemas") && isTime(path) && listTypes(node).includes("integer"),
    );
    expect(times.length).toBeGreaterThan(60);
    const narrow = times.filter(({ node }) => String(node.format) !== "int64" && node.maximum === undefined);
    expect(narrow.map(({ path }) => path)).toEqual([]);
    const texts = places.filter(
      ({ path, node }) => /(Ms|At)$/.test(path) && listTypes(node).includes("string"),
    );
    expect(texts.map(({ path }) => path)).toEqual([]);
  });

  it("no schema is a union of primitives", () => {
    const unions = places.filter(({ node }) => {
      const parts = [...toList(node.anyOf), ...toList(node.oneOf)] as Json[];
      const primitives = parts.filter((part) => part.$ref === undefined && String(part.type) !== "null");
      return primitives.length > 0 || listTypes(node).filter((type) => type !== "null").length > 1;
    });
    expect(unions.map(({ path }) => path)).toEqual([]);
  });

  it("every object inside another schema or a response is a named component", () => {
    const inline = places.filter(
      ({ path, node }) =>
        node.properties !== undefined &&
        !/^#\/components\/schemas\/\w+$/.test(path) &&
        typeof node.type === "string",
    );
    expect(inline.map(({ path }) => path)).toEqual([]);
  });

  it("no reference carries constraints that its target cannot meet", () => {
    const faults = places.filter(
      ({ node }) =>
        node.allOf !== undefined && (node.additionalProperties !== undefined || node.type !== undefined),
    );
    expect(faults.map(({ path }) => path)).toEqual([]);
  });

  it("every schema exists once, closed in requests and open in responses", () => {
    const names = Object.keys(schemas);
    expect(names.filter((name) => name.endsWith("Output"))).toEqual([]);
    const closed = names.filter((name) => String(schemas[name]?.additionalProperties) === "false");
    expect(closed.filter((name) => !/(Input|View|BulkItem|FormatRule)$/.test(name))).toEqual([]);
  });

  it("patterns need no Unicode flag", () => {
    expect(
      places.filter(({ node }) => String(node.pattern ?? "").includes("\\p{")).map(({ path }) => path),
    ).toEqual([]);
  });

  it("every operation documents 405 with Allow", () => {
    const operations = places.filter(({ node }) => node.operationId !== undefined);
    expect(operations.length).toBeGreaterThan(50);
    const lacking = operations.filter(({ node }) => node.responses?.["405"]?.headers?.Allow === undefined);
    expect(lacking.map(({ path }) => path)).toEqual([]);
  });
});
