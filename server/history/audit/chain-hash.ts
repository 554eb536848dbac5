/** Returns whether a string has the format of a chain hash: 64 lowercase hexadecimal digits. */
export function isChainHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
