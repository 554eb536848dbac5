/**
 * Renders a string from the OpenAPI document. Supports paragraphs and code between backticks, because the document
 * contains no other Markdown.
 */
export function Prose({
  text = "",
  className = "text-ink-2",
}: {
  text?: string | undefined;
  className?: string;
}) {
  return text
    .split("\n\n")
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => (
      <p key={paragraph} className={`max-w-[78ch] not-first:mt-1.5 ${className}`}>
        <Inline text={paragraph} />
      </p>
    ));
}

export function Inline({ text }: { text: string }) {
  return text.split("`").map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are never reordered.
      <Code key={at}>{part}</Code>
    ),
  );
}

export function Code({ children }: { children: string }) {
  return (
    <code
      translate="no"
      className="rounded-[4px] bg-line-soft px-1 font-mono text-[0.875em] break-words text-ink"
    >
      {children}
    </code>
  );
}
