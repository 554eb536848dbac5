"use client";

import type { RefObject } from "react";
import { hrefAt } from "@/components/app/target-link.tsx";
import { ActionMenu, type MenuAction } from "@/components/ui/action-menu.tsx";
import { copyText } from "@/components/ui/clipboard.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockCopy } from "@/lib/i18n/en/lock-copy.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { type Key, pathOfKey, textOfKey } from "@/lib/keys/key.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { curlCommand, redisCliCommand, redisCliFree } from "./lock-commands.ts";

export interface CopyMenuProps {
  lockKey: Key;
  /** undefined: nothing is known of it yet. */
  lock: Lock | undefined;
  /** Where it stands, and where the focus goes back to. */
  anchor: RefObject<HTMLElement | null>;
  /** Says what was copied. */
  tell(text: string): void;
  onClose(): void;
}

/** One lock as something to send, or to run in a shell. */
export function CopyMenu({ lockKey, lock, anchor, tell, onClose }: CopyMenuProps) {
  const words = useWords(lockCopy);
  const target = useTargetName();
  const text = textOfKey(lockKey);
  const owners = lock?.holders.map(({ owner }) => owner) ?? [];
  const free = lock && redisCliFree(lock);
  const copyOf = (id: string, name: string, copied: string | undefined, more: Partial<MenuAction> = {}) => ({
    id,
    name,
    hint: copied === undefined ? undefined : <SafeText text={copied} />,
    ...more,
    run: async () => {
      if (copied !== undefined) tell((await copyText(copied)) ? words.copied(name) : words.notCopied);
    },
  });
  const link = `${location.origin}${BASE_PATH}${hrefAt(`/locks/${pathOfKey(lockKey)}`, target)}`;
  const ownersName = owners.length > 1 ? words.owners(formatNumber(owners.length)) : words.owner;
  const actions: MenuAction[] = [
    copyOf("link", words.link, link),
    copyOf("key", words.key, text),
    copyOf("owner", ownersName, owners.length === 0 ? undefined : owners.join("\n"), {
      blocked: owners.length === 0 ? words.noOwner : null,
    }),
    copyOf("curl", words.curl, curlCommand(location.origin, lockKey, target), { apart: true }),
    copyOf("show", words.show, redisCliCommand(lockKey, lock?.type ?? null)),
    copyOf("free", words.free, free, {
      hint: words.freeHint,
      blocked: owners.length === 0 ? words.noOwner : free === undefined ? words.freeNot : null,
    }),
  ];
  return (
    <ActionMenu
      label={words.of(visibleText(text))}
      anchor={anchor.current}
      actions={actions}
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}
