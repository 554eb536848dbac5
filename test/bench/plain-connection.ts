import { Redis } from "ioredis";

/** Opens an ioredis connection with default options, as in the peers' documentation. */
export function openPlainConnection(url: string): Redis {
  return new Redis(url);
}
