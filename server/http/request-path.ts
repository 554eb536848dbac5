const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Checks whether a parser that normalizes paths (WHATWG URL, Next.js, proxies) could resolve a path to a different
 * resource than Lockkeeper does. The keys `.` and `..` have a special encoding in paths (`encodeKeyPath`).
 *
 * @param path path as sent, percent-encoded, without the query
 * @returns the fault and its remedy as sentences, or `undefined` if the path is unambiguous
 */
export function findPathFault(path: string): string | undefined {
  if (hasCharacterThatParsersReplace(path)) {
    return "The path has a backslash, a fragment or a control character. Percent-encode it.";
  }
  if (path.split("/").some((segment) => DOT_SEGMENT.test(segment))) {
    return "The path has a dot segment (`.` or `..`). Resolve it before you send the request, or write a key of that name as `~Lg` or `~Li4`.";
  }
  return undefined;
}

/**
 * Returns whether the path has a character that other parsers replace or drop. WHATWG URL parsers treat a backslash as
 * a slash, end the path at `#`, and drop tabs and line breaks.
 */
function hasCharacterThatParsersReplace(path: string): boolean {
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f || code === 0x23 || code === 0x5c) return true;
  }
  return false;
}

/**
 * Returns whether the path can be percent-decoded. For a path that cannot be decoded, Next.js would send an empty 500
 * response.
 */
export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
