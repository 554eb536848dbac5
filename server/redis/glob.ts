type Token =
  | "*"
  | "?"
  | { characters: string; ranges: [string, string][]; negated: boolean }
  | { literal: string };

/**
 * Redis's own glob: `*`, `?`, `[abc]`, `[^a-z]` and `\` before a literal character. Matched with two pointers and
 * one point of return, so no key can make it run for long.
 */
export class Glob {
  readonly #tokens: Token[];

  constructor(readonly pattern: string) {
    this.#tokens = tokensOf(pattern);
  }

  matches(text: string): boolean {
    const tokens = this.#tokens;
    let token = 0;
    let at = 0;
    let star = -1;
    let resume = 0;
    while (at < text.length) {
      const current = tokens[token];
      if (current === "*") {
        star = token++;
        resume = at;
      } else if (current !== undefined && takes(current, text.charAt(at))) {
        token++;
        at++;
      } else if (star >= 0) {
        token = star + 1;
        at = ++resume;
      } else {
        return false;
      }
    }
    while (tokens[token] === "*") token++;
    return token === tokens.length;
  }
}

export function matchesAny(globs: readonly Glob[], text: string): boolean {
  return globs.some((glob) => glob.matches(text));
}

function takes(token: Exclude<Token, "*">, character: string): boolean {
  if (token === "?") return true;
  if ("literal" in token) return token.literal === character;
  const inside =
    token.characters.includes(character) ||
    token.ranges.some(([from, to]) => character >= from && character <= to);
  return inside !== token.negated;
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === "*" || character === "?") tokens.push(character);
    else if (character === "\\" && at + 1 < pattern.length) tokens.push({ literal: pattern.charAt(++at) });
    else if (character === "[") at = pushClass(pattern, at, tokens);
    else tokens.push({ literal: character });
  }
  return tokens;
}

function pushClass(pattern: string, open: number, tokens: Token[]): number {
  const close = pattern.indexOf("]", open + 1);
  const end = close < 0 ? pattern.length : close;
  const negated = pattern[open + 1] === "^";
  const body = pattern.slice(open + (negated ? 2 : 1), end);
  let characters = "";
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at++) {
    const from = body.charAt(at);
    if (from === "\\" && at + 1 < body.length) characters += body.charAt(++at);
    else if (body[at + 1] === "-" && at + 2 < body.length) {
      const to = body.charAt(at + 2);
      ranges.push(from <= to ? [from, to] : [to, from]);
      at += 2;
    } else characters += from;
  }
  tokens.push({ characters, ranges, negated });
  return end;
}
