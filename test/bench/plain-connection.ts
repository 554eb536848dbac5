import { Redis } from "ioredis";

/** Opens ioredis with its defaults, as in the peers' documentation. */
export function openPlainConnection(url: string): Redis {
  return new Redis(url);
}
