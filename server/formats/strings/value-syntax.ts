/** The facts that a value contains in addition to the owner. The field names are the group names in the pattern. */
export interface EmbeddedFacts {
  /** A time in ISO 8601. */
  readonly iso?: string;
  /** The 32 hexadecimal digits of a version 1 UUID, which contains a time. */
  readonly uuid1?: string;
  readonly epochMs?: string;
  readonly host?: string;
  readonly pid?: string;
  /** The text that the application appended to the id. */
  readonly added?: string;
  /** Present if the holder is a writer that is waiting for the readers to release the lock. */
  readonly waits?: string;
}

/** A syntax of owners. The pattern is applied to the bytes of the value, decoded as Latin-1. */
interface ValueSyntax {
  readonly pattern: RegExp;
  /** Extracts facts that a pattern cannot extract. Returns `undefined` if the value does not have this syntax. */
  readonly decode?: (text: string) => EmbeddedFacts | undefined;
  /** Set if many other values have this syntax. The syntax is then evidence only under a key that names a lock. */
  readonly isCommon?: true;
}

const UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const HEX32 = "[0-9a-f]{32}";
const HEX32_OF_UUID4 = "[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}";
/** Matches strings that contain lower-case and upper-case letters, as random mixed-case strings do. */
const BOTH_CASES = "(?=.*[a-z])(?=.*[A-Z])";
/** Matches the last base64 digit of 16 bytes, which has two significant bits. */
const BASE64_OF_16 = "[AQgw]";

/** The known syntaxes of owners, most specific first. The first syntax that fits a `StringVariant` applies. */
export const VALUE_SYNTAXES = {
  shedlock: { pattern: /^ADDED:(?<iso>[-\dT:.]+Z)@(?<host>.*):[0-9a-f-]{36}$/s },
  medallion: {
    pattern: new RegExp(`^(?<host>[^\\s:/]+)_(?<pid>\\d{1,10})_${HEX32_OF_UUID4}(?<waits>_WRITERWAITING)?$`),
  },
  uuidAndNumber: { pattern: new RegExp(`^(?:${UUID4}|${HEX32}):\\d{1,15}$`) },
  hex64: { pattern: /^[0-9a-f]{64}$/ },
  hex64Packed: { pattern: buildPackedPattern("[0-9a-f]{64}") },
  uuid1: { pattern: /^(?<uuid1>[0-9a-f]{12}1[0-9a-f]{3}[89ab][0-9a-f]{15})$/ },
  hex32: { pattern: new RegExp(`^${HEX32}$`) },
  hex32Packed: { pattern: buildPackedPattern(HEX32) },
  uuid4: { pattern: new RegExp(`^${UUID4}$`) },
  uuid1Dashed: { pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/ },
  uuid4AndMore: { pattern: new RegExp(`^${UUID4}-(?<added>.{1,200})$`, "s") },
  base64OfUuid1: { pattern: new RegExp(`^[A-Za-z0-9+/]{21}${BASE64_OF_16}==$`), decode: decodeUuid1 },
  base64Of16: { pattern: new RegExp(`^[A-Za-z0-9+/]{21}${BASE64_OF_16}==$`) },
  base64Of18: { pattern: new RegExp(`^${BOTH_CASES}[A-Za-z0-9+/]{24}$`) },
  base64UrlOf16: { pattern: new RegExp(`^${BOTH_CASES}[A-Za-z0-9_-]{21}${BASE64_OF_16}$`) },
  base64UrlOf16AndMore: {
    pattern: new RegExp(
      `^(?=.{0,21}[a-z])(?=.{0,21}[A-Z])[A-Za-z0-9_-]{21}${BASE64_OF_16}(?<added>.+)$`,
      "s",
    ),
    isCommon: true,
  },
  alnum16: { pattern: new RegExp(`^${BOTH_CASES}[A-Za-z0-9]{16}$`), isCommon: true },
  alnum16Packed: { pattern: buildPackedPattern("(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{16}"), isCommon: true },
  epochMs: { pattern: /^(?<epochMs>\d{13})$/ },
  pid: { pattern: /^(?<pid>\d{1,10})$/ },
  fraction: { pattern: /^0(?:\.\d{1,25})?$|^\d(?:\.\d{1,25})?e-\d{1,2}$/, isCommon: true },
  bytes24: { pattern: /^[\s\S]{24}$/, isCommon: true },
  text: { pattern: /^(?![-+.\d]+$|[-+]?[\d.]+[eE][-+]?\d+$|[{["])[!-~]{1,100}$/, isCommon: true },
  any: { pattern: /^/, isCommon: true },
} as const satisfies Readonly<Record<string, ValueSyntax>>;
export type ValueSyntaxName = keyof typeof VALUE_SYNTAXES;

/** Builds a pattern for a value that a PHP client serialized with PHP, igbinary, MessagePack or JSON. */
function buildPackedPattern(digits: string): RegExp {
  return new RegExp(
    `^(?:s:\\d\\d:"${digits}";|\\0\\0\\0\\x02\\x11[\\s\\S]${digits}|(?:\\xb0|\\xd9[\\s\\S])${digits}|"${digits}")$`,
  );
}

/** Decodes a base64-encoded version 1 UUID, and returns its hexadecimal digits. */
function decodeUuid1(text: string): EmbeddedFacts | undefined {
  const digits = Buffer.from(text, "base64").toString("hex");
  return VALUE_SYNTAXES.uuid1.pattern.test(digits) ? { uuid1: digits } : undefined;
}

export interface SyntaxMatch {
  readonly shape: ValueSyntaxName;
  readonly carried: EmbeddedFacts;
  readonly isCommon: boolean;
}

const SYNTAX_ENTRIES = Object.entries(VALUE_SYNTAXES) as [ValueSyntaxName, ValueSyntax][];

/** Returns all syntaxes that match a value and whose time, if any, is plausible. The most specific syntax is first. */
export function matchSyntaxes(bytes: Buffer, now: number): SyntaxMatch[] {
  const text = bytes.toString("latin1");
  const found: SyntaxMatch[] = [];
  for (const [shape, { pattern, decode, isCommon = false }] of SYNTAX_ENTRIES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const carried: EmbeddedFacts | undefined = decode === undefined ? (match.groups ?? {}) : decode(text);
    if (carried !== undefined && hasPlausibleTime(carried, now)) found.push({ shape, carried, isCommon });
  }
  return found;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Whether the time in the value is plausible: for a UUID, at most ten years ago and one minute in the future; for a
 * deadline, within five years of now. Other times suggest that the value does not contain a time.
 */
function hasPlausibleTime({ uuid1, epochMs }: EmbeddedFacts, now: number): boolean {
  if (uuid1 !== undefined) {
    const ageMs = now - parseUuid1Time(uuid1);
    return ageMs > -60_000 && ageMs < 10 * YEAR_MS;
  }
  return epochMs === undefined || isNearbyTime(Number(epochMs), now);
}

/** Whether the time is within five years of now. */
export function isNearbyTime(timeMs: number, now: number): boolean {
  return Math.abs(timeMs - now) < 5 * YEAR_MS;
}

/**
 * Returns the time of a version 1 UUID in Unix ms. UUID timestamps count 100 ns intervals since 1582-10-15 00:00 UTC
 * (RFC 9562).
 *
 * @param digits the 32 hexadecimal digits of the UUID
 */
export function parseUuid1Time(digits: string): number {
  const ticks = BigInt(`0x${digits.slice(13, 16)}${digits.slice(8, 12)}${digits.slice(0, 8)}`);
  return Number(ticks / 10_000n) - 12_219_292_800_000;
}
