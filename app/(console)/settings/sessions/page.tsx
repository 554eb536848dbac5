import { titled } from "@/app/language.ts";
import { SessionsSettings } from "@/components/settings/sessions-settings.tsx";

export const generateMetadata = titled("sessions");

export default function Page() {
  return <SessionsSettings />;
}
