"use client";

import dynamic from "next/dynamic";

/** The login page in a chunk of its own, for layouts that hardly ever show it. A layout loads what it imports. */
export const LazyLoginPage = dynamic(() => import("./login-page.tsx").then((module) => module.LoginPage));
