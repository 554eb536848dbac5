import { SafeText } from "./safe-text.tsx";

/**
 * Minimum number of characters of a string that is truncated in the middle. A shorter string is truncated at the end.
 */
const SPLIT_CHARACTERS_MIN = 17;
const END_CHARACTERS = 7;

/**
 * Shows a string from Redis on one line. Truncates a long string in the middle, because ids and host names often differ
 * only at the end.
 */
export function MiddleText({ text }: { text: string }) {
  const characters = Array.from(text);
  if (characters.length < SPLIT_CHARACTERS_MIN) {
    return (
      <span className="block truncate">
        <SafeText text={text} />
      </span>
    );
  }
  return (
    <span className="flex min-w-0">
      <span className="truncate">
        <SafeText text={characters.slice(0, -END_CHARACTERS).join("")} />
      </span>
      <span className="shrink-0">
        <SafeText text={characters.slice(-END_CHARACTERS).join("")} />
      </span>
    </span>
  );
}
