import { requireNpmModule } from "../npm-module.ts";
import type { NpmTool } from "../steps/npm.ts";
import type { GuardedStore, GuardedWriter, WriteOutcome } from "./guard.ts";
import { parseStatements, readGuardFile } from "./statements.ts";

/** The subset of the driver's API that is used. */
interface PgClient {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ rowCount: number | null; rows: Row[] }>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): void;
}
type Row = Readonly<Record<string, string>>;

export interface PostgresqlAddress {
  readonly host: string;
  readonly user: string;
}

const statement = parseStatements(readGuardFile("postgresql.sql"));
const SERIALIZATION_FAILURE = "40001";

/** Tables in which a trigger records the accepted writes, in the same transaction and under the same row lock. */
const TABLES = `
CREATE TABLE resource (id text PRIMARY KEY, value text NOT NULL);
CREATE TABLE written (at bigserial PRIMARY KEY, id text NOT NULL, fence text NOT NULL);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO written (id, fence) VALUES (NEW.id, NEW.fence::text); RETURN NEW; END $$;`;
const TRIGGER = `CREATE TRIGGER note AFTER INSERT OR UPDATE ON resource
FOR EACH ROW WHEN (NEW.fence > 0) EXECUTE FUNCTION note()`;

/**
 * The ways of writing, by name, with the isolation level of the transaction. Undefined for writes without an explicit
 * transaction.
 */
const WAYS = {
  update: undefined,
  upsert: undefined,
  "update, read committed": "READ COMMITTED",
  "update, repeatable read": "REPEATABLE READ",
  "upsert, serializable": "SERIALIZABLE",
} as const;

export async function connectPostgresql(npm: NpmTool, address: PostgresqlAddress): Promise<PgClient> {
  const { Client } = requireNpmModule<{ Client: new (options: object) => PgClient }>(npm, "pg");
  const client = new Client({ ...address, database: "postgres", statement_timeout: 20_000 });
  // Without a listener, the error would end the process. The next query reports the lost connection.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

export async function openPostgresqlStore(npm: NpmTool, address: PostgresqlAddress): Promise<GuardedStore> {
  const client = await connectPostgresql(npm, address);
  await client.query(TABLES);
  await client.query(statement("column"));
  await client.query(TRIGGER);
  return {
    ways: Object.keys(WAYS),
    createWriter: async (way) =>
      createGuardedWriter(await connectPostgresql(npm, address), way as keyof typeof WAYS),
    async create(resource) {
      await client.query("INSERT INTO resource (id, value) VALUES ($1, '')", [resource]);
    },
    async readStored(resource) {
      const { rows } = await client.query("SELECT fence, value FROM resource WHERE id = $1", [resource]);
      return { fence: rows[0]?.fence ?? "", value: rows[0]?.value ?? "" };
    },
    async written(resource) {
      const { rows } = await client.query("SELECT fence FROM written WHERE id = $1 ORDER BY at", [resource]);
      return rows.map((row) => row.fence ?? "");
    },
    close: () => client.end(),
  };
}

export function createPostgresqlWriter(client: PgClient): GuardedWriter {
  return createGuardedWriter(client, "update");
}

function createGuardedWriter(client: PgClient, way: keyof typeof WAYS): GuardedWriter {
  const isolation = WAYS[way];
  const guarded = statement(way.startsWith("upsert") ? "upsert" : "update");
  const write = async (values: readonly string[]): Promise<WriteOutcome> => {
    const { rowCount } = await client.query(guarded, values);
    return rowCount === 1 ? "written" : "refused";
  };
  return {
    write: (resource, fence, value) =>
      isolation === undefined
        ? write([resource, value, fence])
        : runInTransaction(client, isolation, () => write([resource, value, fence])),
    close: () => client.end(),
  };
}

/** Writes in a transaction and repeats the transaction as long as it fails because of a conflict. */
async function runInTransaction(
  client: PgClient,
  isolation: string,
  work: () => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  for (;;) {
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
      const verdict = await work();
      await client.query(verdict === "written" ? "COMMIT" : "ROLLBACK");
      return verdict;
    } catch (error) {
      await client.query("ROLLBACK");
      if ((error as { code?: string }).code !== SERIALIZATION_FAILURE) throw error;
    }
  }
}
