import { isIPv6 } from "node:net";

/** Converts an IPv4-mapped IPv6 address to an IPv4 address. Dual-stack sockets report such addresses. */
export function normalizeAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/**
 * Returns the network that counts as one client for rate limits: the address itself for IPv4, or the /64 network for
 * IPv6.
 */
export function getClientNetwork(address: string): string {
  const plain = normalizeAddress(address).replace(/%.*$/, "");
  if (!isIPv6(plain)) return plain;
  const [left = "", right] = plain.toLowerCase().split("::");
  const groups = (part = "") => (part === "" ? [] : part.split(":"));
  const [head, tail] = [groups(left), groups(right)];
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(missing).fill("0"), ...tail].slice(0, 4).join(":");
}
