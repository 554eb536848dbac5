"use client";

import type { RefObject } from "react";
import { curlOf } from "@/components/lock/commands.ts";
import { ActionMenu, type MenuAction } from "@/components/ui/action-menu.tsx";
import { copyText } from "@/components/ui/copy-text.ts";
import { formatNumber } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";
import { type ExportFormat, locksExportUrl } from "@/lib/live/export.ts";
import { listUrl } from "@/lib/live/list-url.ts";
import { useTargetName } from "@/lib/live/targets.ts";
import { viewTools } from "@/lib/words/en/view-tools.ts";
import { useWords } from "@/lib/words/words.tsx";
import { EXPORT_LOCKS_MAX } from "./list-limits.ts";
import { type Shown, searchOf } from "./saved-views.ts";

interface ListMenuProps {
  shown: Shown;
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
}

interface ExportMenuProps extends ListMenuProps {
  total: number;
  onExport(format: ExportFormat): void;
}

/** All that match, in either form. */
export function ExportMenu({ shown, total, anchor, onClose, onExport }: ExportMenuProps) {
  const words = useWords(viewTools);
  const target = useTargetName();
  const most = formatNumber(EXPORT_LOCKS_MAX);
  const hint =
    total > EXPORT_LOCKS_MAX
      ? words.exportWhatCut(most, formatNumber(total))
      : words.exportWhat(formatNumber(total));
  const actionOf = (format: ExportFormat): MenuAction => ({
    id: format,
    name: words[format],
    hint,
    href: locksExportUrl(format, shown, target),
    run: () => onExport(format),
  });
  return (
    <ActionMenu
      label={words.exportMenu}
      anchor={anchor.current}
      actions={[actionOf("csv"), actionOf("jsonl")]}
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}

/** The present search as something to send or to run. */
export function ListCopyMenu({ shown, anchor, tell, onClose }: ListMenuProps & { tell(text: string): void }) {
  const words = useWords(viewTools);
  const target = useTargetName();
  const link = `${location.origin}${BASE_PATH}/${searchOf(shown, target)}`;
  const curl = curlOf(`${location.origin}${listUrl(shown, target)}`);
  const copy = async (text: string, what: string) =>
    tell((await copyText(text)) ? words.copied(what) : words.notCopied);
  return (
    <ActionMenu
      label={words.copyMenu}
      anchor={anchor.current}
      actions={[
        { id: "link", name: words.link, hint: words.linkHint, run: () => void copy(link, words.link) },
        {
          id: "curl",
          name: words.curl,
          hint: <SafeText text={curl} />,
          run: () => void copy(curl, words.curl),
        },
      ]}
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}
