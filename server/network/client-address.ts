import { isIPv6 } from "node:net";

/** Returns an IPv4 address in its own notation; dual-stack sockets report it as IPv6. */
export function normalizeAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/** Returns what limits count as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export function getClientNetwork(address: string): string {
  const plain = normalizeAddress(address).replace(/%.*$/, "");
  if (!isIPv6(plain)) return plain;
  const [left = "", right] = plain.toLowerCase().split("::");
  const groups = (part = "") => (part === "" ? [] : part.split(":"));
  const [head, tail] = [groups(left), groups(right)];
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(missing).fill("0"), ...tail].slice(0, 4).join(":");
}
