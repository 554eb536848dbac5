import { CopyButton } from "./copy-button.tsx";

/** Shows text to copy, such as a command, URL or secret, with a copy button. */
export function CommandLine({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start gap-2 rounded-[8px] border border-line bg-bg py-1.5 pr-1.5 pl-3 text-left">
      <pre
        translate="no"
        className="min-w-0 flex-1 self-center font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap text-ink"
      >
        {text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
