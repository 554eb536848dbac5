"use client";

import type { RefObject } from "react";
import { copyText } from "@/components/ui/clipboard.ts";
import { ActionMenu, type MenuAction } from "@/components/ui/overlay/action-menu.tsx";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { View, ViewInput } from "@/lib/contract/view.ts";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { useRemoveView, useSaveView } from "@/lib/queries/views.ts";
import { applyView, buildViewSearch, buildViewUpdate, toSavedView } from "./saved-views.ts";
import type { SavedViewsState } from "./use-saved-views.ts";

export interface ViewOverlayProps {
  saved: SavedViewsState;
  /**
   * The control that opened the menu or the form. The overlay is placed next to this control, which receives the focus
   * when the overlay closes.
   */
  anchor: RefObject<HTMLElement | null>;
  /** Shows the result of an action in a toast. */
  showToast: Toast["showToast"];
  onClose(): void;
}

interface ViewMenuProps extends ViewOverlayProps {
  view: View;
  onRename(view: View): void;
}

export function ViewMenu({ view, saved, anchor, showToast, onClose, onRename }: ViewMenuProps) {
  const messages = useMessages(viewTools);
  const target = useTargetName();
  const save = useSaveView();
  const remove = useRemoveView();
  const isShared = view.of === "team";
  const mayShare = useLiveState().hello?.operator.may.includes("force") ?? false;
  const notMine = view.mayChange ? null : messages.notYours(view.by);
  const list = saved.views.filter(({ of }) => of === view.of);
  const at = list.indexOf(view);
  const change = (input: Partial<ViewInput>, toastText?: string) =>
    save.mutate(buildViewUpdate(view, input), {
      onSuccess: () => toastText !== undefined && showToast(toastText),
      onError: (problem) => showToast(<ProblemText problem={problem} />),
    });
  const copyLink = async () => {
    const link = `${location.origin}${BASE_PATH}/${buildViewSearch(applyView(view, saved.shown), target)}`;
    showToast((await copyText(link)) ? messages.copied(link) : messages.notCopied);
  };
  const actions: MenuAction[] = [
    { id: "link", name: messages.copyLink, run: () => void copyLink() },
    {
      id: "keep",
      name: messages.updateSearch,
      hint: messages.updateSearchHint,
      blocked: notMine,
      run: () => change({ ...toSavedView(saved.shown) }, messages.updated(view.name)),
    },
    { id: "rename", name: messages.rename, blocked: notMine, run: () => onRename(view) },
    {
      id: "left",
      name: messages.moveLeft,
      apart: true,
      blocked: notMine ?? (at <= 0 ? messages.first : null),
      run: () => change({ place: at - 1 }),
    },
    {
      id: "right",
      name: messages.moveRight,
      blocked: notMine ?? (at >= list.length - 1 ? messages.last : null),
      run: () => change({ place: at + 1 }),
    },
    {
      id: "share",
      name: isShared ? messages.unshare : messages.share,
      hint: isShared ? undefined : messages.forTeamHint,
      apart: true,
      blocked: notMine ?? (isShared || mayShare ? null : messages.notForTeam),
      run: () => change({ of: isShared ? "me" : "team" }),
    },
    {
      id: "remove",
      name: messages.remove,
      variant: "danger",
      blocked: notMine,
      run: () =>
        remove.mutate(view.id, {
          onSuccess: () => showToast(messages.removed(view.name)),
          onError: (problem) => showToast(<ProblemText problem={problem} />),
        }),
    },
  ];
  return (
    <ActionMenu
      label={messages.actionsOf(view.name)}
      anchor={anchor.current}
      actions={actions}
      align="start"
      onClose={onClose}
      finalFocus={() => anchor.current}
    />
  );
}
