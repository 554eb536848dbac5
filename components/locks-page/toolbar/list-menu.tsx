"use client";

import type { RefObject } from "react";
import { buildCurl } from "@/components/lock-facts/lock-commands.ts";
import { copyText } from "@/components/ui/clipboard.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { ActionMenu, type MenuAction } from "@/components/ui/overlay/action-menu.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { buildLocksExportUrl, type ExportFormat } from "@/lib/api/export.ts";
import { buildListUrl } from "@/lib/api/list-url.ts";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargetName } from "@/lib/queries/targets.ts";
import { EXPORT_LOCKS_MAX } from "../../../lib/contract/limits.ts";
import { buildViewSearch, type ListSettings } from "../views/saved-views.ts";

/** Which entries the menu contains. `all`: both the copy and the export entries. */
export type ListMenuKind = "copy" | "export" | "all";

interface ListMenuProps {
  kind: ListMenuKind;
  shown: ListSettings;
  /** Number of matching locks. */
  total: number;
  anchor: RefObject<HTMLElement | null>;
  showToast(text: string): void;
  onExport(format: ExportFormat): void;
  onClose(): void;
}

/**
 * Renders a menu with actions that copy the current search as a link or a `curl` command, actions that export the
 * matching locks, or all of these actions.
 */
export function ListMenu({ kind, anchor, onClose, ...list }: ListMenuProps) {
  const messages = useMessages(viewTools);
  const copies = useCopyActions(list);
  const exports = useExportActions(list);
  const actions = {
    copy: copies,
    export: exports,
    all: [
      ...copies.map((each) => ({ ...each, name: messages.copyAs(each.name) })),
      ...exports.map((each, at) => ({ ...each, name: messages.exportAs(each.name), apart: at === 0 })),
    ],
  };
  return (
    <ActionMenu
      label={{ copy: messages.copyMenu, export: messages.exportMenu, all: messages.listMenu }[kind]}
      anchor={anchor.current}
      actions={actions[kind]}
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}

function useExportActions({ shown, total, onExport }: Pick<ListMenuProps, "shown" | "total" | "onExport">) {
  const messages = useMessages(viewTools);
  const target = useTargetName();
  const most = formatNumber(EXPORT_LOCKS_MAX);
  const hint =
    total > EXPORT_LOCKS_MAX
      ? messages.exportWhatCut(most, formatNumber(total))
      : messages.exportWhat(formatNumber(total));
  return (["csv", "jsonl"] as const).map(
    (format): MenuAction => ({
      id: format,
      name: messages[format],
      hint,
      href: buildLocksExportUrl(format, shown, target),
      run: () => onExport(format),
    }),
  );
}

function useCopyActions({ shown, showToast }: Pick<ListMenuProps, "shown" | "showToast">): MenuAction[] {
  const messages = useMessages(viewTools);
  const target = useTargetName();
  const link = `${location.origin}${BASE_PATH}/${buildViewSearch(shown, target)}`;
  const curl = buildCurl(`${location.origin}${buildListUrl(shown, target)}`);
  const copy = async (text: string, what: string) =>
    showToast((await copyText(text)) ? messages.copied(what) : messages.notCopied);
  return [
    { id: "link", name: messages.link, hint: messages.linkHint, run: () => void copy(link, messages.link) },
    {
      id: "curl",
      name: messages.curl,
      hint: <SafeText text={curl} />,
      run: () => void copy(curl, messages.curl),
    },
  ];
}
