import { fileURLToPath } from "node:url";

// Where the console is below, behind a proxy; it is fixed by the build, so `npm start` builds again when it changes.
const basePath = process.env.LOCKKEEPER_BASE_PATH ?? "";

/** @type {import('next').NextConfig} */
const config = {
  basePath,
  env: { LOCKKEEPER_BUILD_BASE_PATH: basePath },
  // Else Next looks for it among the lock files of the folders above.
  turbopack: { root: fileURLToPath(new URL(".", import.meta.url)).replace(/[\\/]$/, "") },
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
};

export default config;
