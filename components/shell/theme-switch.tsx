"use client";

import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

const THEMES = [
  { name: "system", Icon: Monitor },
  { name: "light", Icon: Sun },
  { name: "dark", Icon: Moon },
] as const;

const subscribeToNothing = () => () => {};

/**
 * Returns the icon, label and action of a control that switches to the next theme, in the order system, light, dark.
 * The icon shows the current theme.
 */
export function useNextTheme(): { Icon: LucideIcon; label: string; apply(): void } {
  const messages = useMessages(shell);
  const { theme, setTheme } = useTheme();
  // The server does not know the theme, so the icon for `system` is shown until hydration.
  const awake = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  const index = awake ? THEMES.findIndex(({ name }) => name === theme) : 0;
  const current = THEMES[Math.max(index, 0)] ?? THEMES[0];
  const next = THEMES[(Math.max(index, 0) + 1) % THEMES.length] ?? THEMES[0];
  return {
    Icon: current.Icon,
    label: messages.changeTheme(messages.themes[current.name], messages.themes[next.name]),
    apply: () => setTheme(next.name),
  };
}

export function ThemeSwitch() {
  const { Icon, label, apply } = useNextTheme();
  return (
    <Button variant="quiet" size="icon" aria-label={label} title={label} onClick={apply}>
      <Icon aria-hidden size={15} />
    </Button>
  );
}
