import type { Metadata } from "next";
import { FormatsPage } from "@/components/formats/formats-page.tsx";

export const metadata: Metadata = { title: "Formats" };

export default function Page() {
  return <FormatsPage />;
}
