import { titled } from "@/app/language.ts";
import { EventsPage } from "@/components/events/events-page.tsx";

export const generateMetadata = titled("events");

export default function Page() {
  return <EventsPage />;
}
