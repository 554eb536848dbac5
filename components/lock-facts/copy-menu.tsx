"use client";

import type { RefObject } from "react";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { copyText } from "@/components/ui/clipboard.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { ActionMenu, type MenuAction } from "@/components/ui/overlay/action-menu.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockCopy } from "@/lib/i18n/en/lock-copy.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { encodeKeyPath, formatKey, type Key } from "@/lib/keys/key.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { getReleaseForbiddenReason } from "../app/connection.ts";
import {
  buildForceReleaseCurl,
  buildInspectCommand,
  buildLockCurl,
  buildReleaseCommand,
} from "./lock-commands.ts";
import { getReleaseObstacle } from "./release-text.ts";

export interface CopyMenuProps {
  lockKey: Key;
  /** The lock; `undefined` until it is loaded. */
  lock: Lock | undefined;
  /** The element that anchors the menu and receives the focus when it closes. */
  anchor: RefObject<HTMLElement | null>;
  /** Shows a message that names what was copied, or reports that copying failed. */
  showToast(text: string): void;
  onClose(): void;
}

/** Shows a menu with which the operator copies a link to a lock, its key, its owners, or a shell command. */
export function CopyMenu({ lockKey, lock, anchor, showToast, onClose }: CopyMenuProps) {
  const messages = useMessages(lockCopy);
  const target = useTargetName();
  const text = formatKey(lockKey);
  const owners = lock?.holders.map(({ owner }) => owner) ?? [];
  const releaseCommand = lock && buildReleaseCommand(lock);
  const releaseCurl =
    lock && buildForceReleaseCurl(location.origin, lock, { target, reason: messages.curlReason });
  const obstacle = useReleaseObstacle(lock);
  const copyOf = (id: string, name: string, copied: string | undefined, more: Partial<MenuAction> = {}) => ({
    id,
    name,
    hint: copied === undefined ? undefined : <SafeText text={copied} />,
    ...more,
    run: async () => {
      if (copied !== undefined)
        showToast((await copyText(copied)) ? messages.copied(name) : messages.notCopied);
    },
  });
  const link = `${location.origin}${BASE_PATH}${buildTargetHref(`/locks/${encodeKeyPath(lockKey)}`, target)}`;
  const ownersName = owners.length > 1 ? messages.owners(formatNumber(owners.length)) : messages.owner;
  const actions: MenuAction[] = [
    copyOf("link", messages.link, link),
    copyOf("key", messages.key, text),
    copyOf("owner", ownersName, owners.length === 0 ? undefined : owners.join("\n"), {
      blocked: owners.length === 0 ? messages.noOwner : null,
    }),
    copyOf("curl", messages.curl, buildLockCurl(location.origin, lockKey, target), { apart: true }),
    copyOf("release", messages.releaseCurl, releaseCurl, {
      hint: messages.releaseCurlHint,
      blocked: obstacle ?? (releaseCurl === undefined ? messages.formatUnknown : null),
    }),
    copyOf("show", messages.redisInspect, buildInspectCommand(lockKey, lock?.type ?? null)),
    copyOf("free", messages.redisRelease, releaseCommand, {
      hint: messages.redisReleaseHint,
      blocked: obstacle ?? (releaseCommand === undefined ? messages.redisReleaseUnavailable : null),
    }),
  ];
  return (
    <ActionMenu
      label={messages.of(toVisibleText(text))}
      anchor={anchor.current}
      actions={actions}
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}

/** Returns why the menu cannot offer a release command; `null` if it can. */
function useReleaseObstacle(lock: Lock | undefined): string | null {
  const messages = useMessages(lockCopy);
  const lockText = useMessages(lockWords);
  const factsOnly = getReleaseForbiddenReason(useLiveState(), useMessages(shell));
  if (lock === undefined || lock.holders.length === 0) return messages.noOwner;
  return factsOnly ?? getReleaseObstacle(lock, lockText);
}
