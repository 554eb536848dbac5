"use client";

import dynamic from "next/dynamic";

/** The login page, loaded as a separate chunk, so that layouts that rarely show it do not bundle it. */
export const LazyLoginPage = dynamic(() => import("./login-page.tsx").then((module) => module.LoginPage));
