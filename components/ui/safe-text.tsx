import { splitVisibleParts } from "./visible-text.ts";

interface SafeTextProps {
  text: string;
  wrap?: boolean;
}

/**
 * Shows a string from Redis, truncated to 600 characters. Isolates the string's writing direction and makes invisible
 * characters visible.
 */
export function SafeText({ text, wrap = false }: SafeTextProps) {
  let at = 0;
  return (
    <bdi translate="no" className={wrap ? "wrap-anywhere whitespace-pre-wrap" : "whitespace-pre"}>
      {splitVisibleParts(text).map((part) => {
        const key = at;
        at += part.text.length;
        return part.isPlaceholder ? (
          <span key={key} className="text-warn">
            {part.text}
          </span>
        ) : (
          part.text
        );
      })}
    </bdi>
  );
}
