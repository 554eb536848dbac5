import { isIPv6 } from "node:net";

/** IPv4 as such, where a socket for both versions writes it as IPv6. */
export function normalizeAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/** What is counted as one client: an address of IPv4, or the network of 2^64 addresses that one of IPv6 comes with. */
export function getClientNetwork(address: string): string {
  const plain = normalizeAddress(address).replace(/%.*$/, "");
  if (!isIPv6(plain)) return plain;
  const [left = "", right] = plain.toLowerCase().split("::");
  const groups = (part = "") => (part === "" ? [] : part.split(":"));
  const [head, tail] = [groups(left), groups(right)];
  const missing = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(missing).fill("0"), ...tail].slice(0, 4).join(":");
}
