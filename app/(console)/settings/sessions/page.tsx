import { createTitleMetadata } from "@/app/language.ts";
import { SessionsSettings } from "@/components/settings/sessions-settings.tsx";

export const generateMetadata = createTitleMetadata("sessions");

export default function Page() {
  return <SessionsSettings />;
}
