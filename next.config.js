/** @type {import('next').NextConfig} */
const config = {
  // A reverse proxy compresses better than the process that holds the locks.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
};

export default config;
