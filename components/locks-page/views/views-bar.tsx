"use client";

import clsx from "clsx";
import { Ellipsis, Plus, Users } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { View } from "@/lib/contract/view.ts";
import { views as viewsWords } from "@/lib/i18n/en/views.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLockCounts } from "@/lib/queries/counts.ts";
import { addViewTerms, findSystemView, listViewFilters, SYSTEM_VIEWS } from "./system-views.ts";
import type { SavedViewsState } from "./use-saved-views.ts";

const ViewForm = createLazyOverlay(() => import("./view-form.tsx").then((module) => module.ViewForm));
const ViewMenu = createLazyOverlay(() => import("./view-menu.tsx").then((module) => module.ViewMenu));

/** Maximum number of saved views whose tabs show a count. */
const COUNTED_MAX = 12;

interface ViewsBarProps {
  filter: string;
  /** Whether the filter is valid. If it is not, the tabs of the built-in views show no counts. */
  isValid: boolean;
  saved: SavedViewsState;
  onFilter(filter: string): void;
  /** Shows the result of an action on a view in a toast. */
  showToast: Toast["showToast"];
}

type OpenOverlay = { what: "form"; view: View | undefined } | { what: "menu"; view: View };

/** Shows the built-in views and the saved views as tabs, and a button that saves the current list as a view. */
export function ViewsBar({ filter, isValid, saved, onFilter, showToast }: ViewsBarProps) {
  const messages = useMessages(viewsWords);
  const [open, setOpen] = useState<OpenOverlay | null>(null);
  const from = useRef<HTMLElement>(null);
  const systemCounts = useLockCounts(isValid ? listViewFilters(filter) : []);
  const counts = useLockCounts(saved.views.slice(0, COUNTED_MAX).map((view) => view.filter));
  const show = (next: OpenOverlay) => (opener: HTMLElement) => {
    from.current = opener;
    setOpen(next);
  };
  // Closes only the overlay that asked to close. An action of the menu may already have opened the form.
  const closing = (what: OpenOverlay["what"]) => () =>
    setOpen((present) => (present?.what === what ? null : present));
  const overlay = { saved, anchor: from, showToast: showToast };
  return (
    <div className="flex min-w-0 flex-1 items-center gap-0.5">
      <fieldset className="flex min-w-0 gap-0.5 overflow-x-auto max-sm:[scrollbar-width:none]">
        <legend className="sr-only">{messages.bar}</legend>
        {SYSTEM_VIEWS.map((view, at) => (
          <ViewTab
            key={view.id}
            isHere={saved.here === undefined && view === findSystemView(filter)}
            title={view.term}
            count={systemCounts[at]}
            isWrong={view.isWrong}
            onClick={() => {
              saved.leave();
              onFilter(addViewTerms(filter, view));
            }}
          >
            {messages.system[view.id]}
          </ViewTab>
        ))}
        {saved.views.length > 0 && <span aria-hidden className="mx-1.5 my-1.5 w-px shrink-0 bg-line" />}
        {saved.views.map((view, at) => (
          <SavedViewTab
            key={`${view.of} ${view.id}`}
            view={view}
            saved={saved}
            count={counts[at]}
            onMenu={show({ what: "menu", view })}
          />
        ))}
      </fieldset>
      <Button
        variant="quiet"
        size="icon"
        className="max-sm:size-11"
        aria-label={messages.save}
        title={messages.saveHint}
        aria-haspopup="dialog"
        onClick={({ currentTarget }) => show({ what: "form", view: undefined })(currentTarget)}
      >
        <Plus aria-hidden size={14} />
      </Button>
      {open?.what === "form" && <ViewForm view={open.view} {...overlay} onClose={closing("form")} />}
      {open?.what === "menu" && (
        <ViewMenu
          view={open.view}
          {...overlay}
          onClose={closing("menu")}
          onRename={(view) => setOpen({ what: "form", view })}
        />
      )}
    </div>
  );
}

interface ViewTabProps {
  isHere: boolean;
  title: string;
  count: number | undefined;
  isWrong?: boolean;
  onClick(): void;
  children: ReactNode;
}

function ViewTab({ isHere, title, count, isWrong = false, onClick, children }: ViewTabProps) {
  const button = useRef<HTMLButtonElement>(null);
  // If there are many tabs, the active tab may be outside the visible area.
  useEffect(() => {
    if (isHere) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isHere]);
  return (
    <button
      ref={button}
      type="button"
      aria-pressed={isHere}
      title={title}
      onClick={onClick}
      className={clsx(
        "flex h-7 shrink-0 items-center gap-1.5 rounded-[7px] border px-2.5 whitespace-nowrap outline-offset-[-2px] max-sm:h-11",
        isHere
          ? "border-line bg-panel font-medium text-ink"
          : "border-transparent text-ink-2 hover:bg-line-soft hover:text-ink",
      )}
    >
      {children}
      {count !== undefined && (
        <span className={clsx("tabular-nums", isWrong && count > 0 ? "text-bad" : "text-ink-3")}>
          {formatNumber(count)}
        </span>
      )}
    </button>
  );
}

interface SavedViewTabProps {
  view: View;
  saved: SavedViewsState;
  count: number | undefined;
  onMenu(opener: HTMLElement): void;
}

function SavedViewTab({ view, saved, count, onMenu }: SavedViewTabProps) {
  const messages = useMessages(viewsWords);
  const isHere = view === saved.here;
  const isOpened = view === saved.opened;
  return (
    <span className="flex shrink-0 items-center">
      <ViewTab isHere={isHere} title={view.filter} count={count} onClick={() => saved.open(view)}>
        {view.of === "team" && (
          <>
            <Users aria-hidden size={12} className="text-ink-3" />
            <span className="sr-only">{messages.team}</span>
          </>
        )}
        <span className="max-w-40 truncate">
          <SafeText text={view.name} />
        </span>
        {isOpened && !isHere && (
          <span title={messages.changed} className="size-1.5 rounded-full bg-accent">
            <span className="sr-only">{messages.changed}</span>
          </span>
        )}
      </ViewTab>
      {isOpened && (
        <Button
          variant="quiet"
          size="small-icon"
          className="max-sm:size-11"
          aria-label={messages.moreOf(view.name)}
          title={messages.moreOf(view.name)}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => onMenu(currentTarget)}
        >
          <Ellipsis aria-hidden size={14} />
        </Button>
      )}
    </span>
  );
}
