import clsx from "clsx";
import {
  Eye,
  EyeOff,
  Hourglass,
  LockKeyhole,
  LockKeyholeOpen,
  LogOut,
  type LucideIcon,
  MessageCircleCheck,
  MessageCircleQuestionMark,
  MessageCircleX,
  RefreshCw,
  Repeat,
  RotateCcw,
  TimerOff,
  Trash2,
  Zap,
} from "lucide-react";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { getEventTone, TONE_CLASSES } from "./event-tone.ts";

const ICONS: Readonly<Record<HistoryEntry["type"], LucideIcon>> = {
  acquired: LockKeyhole,
  reentered: Repeat,
  renewed: RefreshCw,
  released: LockKeyholeOpen,
  expired: TimerOff,
  evicted: Trash2,
  force_released: Zap,
  release_requested: MessageCircleQuestionMark,
  release_request_accepted: MessageCircleCheck,
  release_request_refused: MessageCircleX,
  waiting: Hourglass,
  wait_ended: LogOut,
  seen: Eye,
  recreated: RotateCcw,
  gap: EyeOff,
};

/** Shows the icon of an event type. The icons differ in shape, because color must not be the only distinction. */
export function EventIcon({ type }: { type: HistoryEntry["type"] }) {
  const Icon = ICONS[type];
  const tone = getEventTone(type);
  return (
    <Icon
      aria-hidden
      size={13}
      className={clsx("shrink-0", tone === "plain" ? "text-ink-3" : TONE_CLASSES[tone])}
    />
  );
}
