import { Inline } from "@/components/docs/prose.tsx";
import { EnglishText } from "@/components/docs/reference-text.tsx";
import type { ProblemDescription } from "@/lib/contract/problems/describe-problem.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

interface ProblemFieldsProps {
  fields: ProblemDescription["fields"];
  messages: Messages["problemPages"];
}

const CELL_CLASS = "border-t border-line-soft px-2 py-1.5 align-top first:pl-0 last:pr-0";

/**
 * Lists the fields of a problem except the standard ones (`type`, `title`, `status`, `code`, `detail` and `requestId`).
 */
export function ProblemFields({ fields, messages }: ProblemFieldsProps) {
  if (fields.length === 0) return <p className="text-ink-2">{messages.noFields}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section aria-label={messages.fields} tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-[560px] text-left">
        <thead>
          <tr className="text-2xs text-ink-3">
            {[messages.field, messages.type, messages.description].map((head) => (
              <th key={head} scope="col" className="px-2 pb-1 font-normal first:pl-0 last:pr-0">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, type, isRequired, description }) => (
            <tr key={name}>
              <td className={CELL_CLASS}>
                <span translate="no" className="font-mono text-xs font-medium">
                  {name}
                </span>
                {!isRequired && <span className="text-2xs text-ink-3"> {messages.optional}</span>}
              </td>
              <td translate="no" className={`${CELL_CLASS} font-mono text-xs text-ink-2`}>
                {type}
              </td>
              <td className={`${CELL_CLASS} text-ink-2`}>
                <EnglishText>
                  <Inline text={description ?? ""} />
                </EnglishText>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
