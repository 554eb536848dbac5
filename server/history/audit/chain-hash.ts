/** Returns whether a text is a hash of the chain. */
export function isChainHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
