import { createTitleMetadata } from "@/app/language.ts";
import { EventsPage } from "@/components/events/events-page.tsx";

export const generateMetadata = createTitleMetadata("events");

export default function Page() {
  return <EventsPage />;
}
