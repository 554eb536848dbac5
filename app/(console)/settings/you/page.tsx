import { titled } from "@/app/language.ts";
import { YouSettings } from "@/components/settings/you-settings.tsx";

export const generateMetadata = titled("settings");

export default function Page() {
  return <YouSettings />;
}
