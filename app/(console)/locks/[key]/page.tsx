import type { Metadata } from "next";
import { LockPage } from "@/components/locks/lock-page.tsx";

export const metadata: Metadata = { title: "Lock" };

export default function Page() {
  return <LockPage />;
}
