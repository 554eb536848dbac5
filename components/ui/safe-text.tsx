import { visibleParts } from "./visible-text.ts";

/** Text from Redis: isolated from the writing direction around it, nothing in it invisible. */
export function SafeText({ text }: { text: string }) {
  let at = 0;
  return (
    <bdi className="whitespace-pre">
      {visibleParts(text).map((part) => {
        const key = at;
        at += part.text.length;
        return part.stand ? (
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
