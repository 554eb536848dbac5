"use client";

import { useKeptFlag } from "@/components/ui/kept-flags.tsx";
import { useMedia } from "@/components/ui/use-media.ts";

export interface Unfolding {
  readonly isOpen: boolean;
  set(open: boolean): void;
  /** Of what is shown while it is open, and while it is closed: right also before the page knows its width. */
  readonly openClass: string;
  readonly closedClass: string | null;
}

/** Whether the overview is open: on a phone, where it would take half of the page, only after a tap. */
export function useUnfolding(): Unfolding {
  const [chosenWide, setWide] = useKeptFlag("overview");
  const [chosenPhone, setPhone] = useKeptFlag("overview-phone");
  const [wide, phone] = [chosenWide ?? true, chosenPhone ?? false];
  const isPhone = useMedia("(width < 40rem)");
  return {
    isOpen: isPhone ? phone : wide,
    set: isPhone ? setPhone : setWide,
    openClass: phone ? "" : "max-sm:hidden",
    closedClass: closedClass(wide, phone),
  };
}

function closedClass(wide: boolean, phone: boolean): string | null {
  if (wide) return phone ? null : "sm:hidden";
  return phone ? "max-sm:hidden" : "";
}
