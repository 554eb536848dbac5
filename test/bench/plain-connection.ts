import { Redis } from "ioredis";

/** ioredis with its defaults, as the peers' documentation sets it up. */
export function openPlainConnection(url: string): Redis {
  return new Redis(url);
}
