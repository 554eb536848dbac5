/** The value of the `Location` header of a created resource: its path, which a GET takes. */
export function buildLocation(basePath: string, collection: string, id: string): string {
  return `${basePath}/api/v1/${collection}/${encodeURIComponent(id)}`;
}

/** The `Location` header as the OpenAPI document declares it. */
export function describeLocation(collection: string, exampleId: string) {
  return {
    Location: {
      description: "The path of the created resource.",
      example: buildLocation("", collection, exampleId),
    },
  };
}
