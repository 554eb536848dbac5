import type { Config } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { AuditStore } from "./history/audit/audit-store.ts";
import { formatChainReport } from "./history/audit/chain-report.ts";
import { verifyExportFile, verifyStoredChain } from "./history/audit/verify-chain.ts";
import { openHomeStore } from "./home/open-home-store.ts";
import { waitUntilReady } from "./redis/connect.ts";
import { locateHomeStore } from "./start-configured-redis.ts";
import { formatLocation } from "./targets/probe-target.ts";

const CONNECT_MS = 3000;

export interface ChainReport {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/** Verifies the audit chain in an exported file. @param head hash that the chain must contain */
export async function verifyAuditFile(file: string, head: string | undefined): Promise<ChainReport> {
  return formatChainReport(await verifyExportFile(file, head), `file ${JSON.stringify(file)}`, head);
}

/**
 * Verifies the audit chain in the home store of the Lockkeeper instance that runs with the same settings.
 *
 * @param head hash that the chain must contain
 * @throws StartupError if the home store cannot be located or reached
 */
export async function verifyAuditStore(config: Config, head: string | undefined): Promise<ChainReport> {
  const where = await locateHomeStore(config);
  const home = openHomeStore(where, "audit");
  const label = `home store at ${formatLocation(where)}`;
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(CONNECT_MS)).catch(() => {
      throw new StartupError(`Could not reach the ${label}.`, { fault: "unreachable" });
    });
    // The retention settings have no effect, because nothing is appended.
    const check = await verifyStoredChain(new AuditStore(home, config.audit), head);
    return formatChainReport(check, label, head);
  } finally {
    home.close();
  }
}
