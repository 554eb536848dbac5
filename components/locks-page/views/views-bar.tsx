"use client";

import clsx from "clsx";
import { Ellipsis, Plus, Users } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useRange } from "@/components/overview/use-stats-range.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { BriefNote } from "@/components/ui/toast.tsx";
import type { View } from "@/lib/contract/view.ts";
import { views as viewsWords } from "@/lib/i18n/en/views.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { useCounts } from "@/lib/queries/counts.ts";
import { useStats } from "@/lib/queries/stats.ts";
import { ASKED_FOR, countOf, SYSTEM_VIEWS, viewOf, withView } from "./system-views.ts";
import type { SavedViews } from "./use-saved-views.ts";

const ViewForm = dynamic(() => import("./view-form.tsx").then((module) => module.ViewForm), { ssr: false });
const ViewMenu = dynamic(() => import("./view-menu.tsx").then((module) => module.ViewMenu), { ssr: false });

/** Each is asked for every few seconds. */
const COUNTED_MAX = 12;

interface ViewsBarProps {
  filter: string;
  window: { total: number; held: number } | undefined;
  saved: SavedViews;
  onFilter(filter: string): void;
  /** Says what became of a view. */
  tell: BriefNote["tell"];
}

type Open = { what: "form"; view: View | undefined } | { what: "menu"; view: View };

/** The questions that everybody asks, each a word of the filter, and those that somebody kept. */
export function ViewsBar({ filter, window, saved, onFilter, tell }: ViewsBarProps) {
  const words = useWords(viewsWords);
  const [open, setOpen] = useState<Open | null>(null);
  const from = useRef<HTMLElement>(null);
  const systemCount = useSystemCounts(filter, window);
  const counts = useCounts(saved.views.slice(0, COUNTED_MAX).map((view) => view.filter));
  const show = (next: Open) => (opener: HTMLElement) => {
    from.current = opener;
    setOpen(next);
  };
  // The menu closes after what it did, which may have opened the form.
  const closing = (what: Open["what"]) => () =>
    setOpen((present) => (present?.what === what ? null : present));
  const overlay = { saved, anchor: from, tell };
  return (
    <div className="flex min-w-0 flex-1 items-center gap-0.5">
      <fieldset className="flex min-w-0 gap-0.5 overflow-x-auto max-sm:[scrollbar-width:none]">
        <legend className="sr-only">{words.bar}</legend>
        {SYSTEM_VIEWS.map((view) => (
          <Tab
            key={view.id}
            isHere={saved.here === undefined && view === viewOf(filter)}
            title={view.word}
            count={systemCount(view)}
            isWrong={view.isWrong}
            onClick={() => {
              saved.leave();
              onFilter(withView(filter, view));
            }}
          >
            {words.system[view.id]}
          </Tab>
        ))}
        {saved.views.length > 0 && <span aria-hidden className="mx-1.5 my-1.5 w-px shrink-0 bg-line" />}
        {saved.views.map((view, at) => (
          <SavedTab
            key={`${view.of} ${view.id}`}
            view={view}
            saved={saved}
            count={view === saved.here ? window?.total : counts[at]}
            onMenu={show({ what: "menu", view })}
          />
        ))}
      </fieldset>
      <Button
        look="quiet"
        size="icon"
        className="max-sm:size-11"
        aria-label={words.save}
        title={words.saveHint}
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

function useSystemCounts(filter: string, window: ViewsBarProps["window"]) {
  // What the overview asks for: one request for both.
  const [range] = useRange();
  const figures = useStats(range).data?.totals;
  // As the overview shows it: the stream's, which is newer.
  const abnormal = useLive().health?.abnormal;
  const totals = figures && { ...figures, abnormal: abnormal ?? figures.abnormal };
  const asked = useCounts(ASKED_FOR.map(({ word }) => word));
  return (view: (typeof SYSTEM_VIEWS)[number]) => countOf(view, { filter, window, totals, asked });
}

interface TabProps {
  isHere: boolean;
  title: string;
  count: number | undefined;
  isWrong?: boolean;
  onClick(): void;
  children: ReactNode;
}

function Tab({ isHere, title, count, isWrong = false, onClick, children }: TabProps) {
  const button = useRef<HTMLButtonElement>(null);
  // Of many tabs the present one may stand beyond the edge.
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

interface SavedTabProps {
  view: View;
  saved: SavedViews;
  count: number | undefined;
  onMenu(opener: HTMLElement): void;
}

function SavedTab({ view, saved, count, onMenu }: SavedTabProps) {
  const words = useWords(viewsWords);
  const isHere = view === saved.here;
  const isOpened = view === saved.opened;
  return (
    <span className="flex shrink-0 items-center">
      <Tab isHere={isHere} title={view.filter} count={count} onClick={() => saved.open(view)}>
        {view.of === "team" && (
          <>
            <Users aria-hidden size={12} className="text-ink-3" />
            <span className="sr-only">{words.team}</span>
          </>
        )}
        <span className="max-w-40 truncate">
          <SafeText text={view.name} />
        </span>
        {isOpened && !isHere && (
          <span title={words.changed} className="size-1.5 rounded-full bg-accent">
            <span className="sr-only">{words.changed}</span>
          </span>
        )}
      </Tab>
      {isOpened && (
        <Button
          look="quiet"
          size="small-icon"
          className="max-sm:size-11"
          aria-label={words.moreOf(view.name)}
          title={words.moreOf(view.name)}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => onMenu(currentTarget)}
        >
          <Ellipsis aria-hidden size={14} />
        </Button>
      )}
    </span>
  );
}
