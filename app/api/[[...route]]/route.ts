import { getRuntime } from "@/server/global-runtime.ts";

async function handleRequest(request: Request): Promise<Response> {
  const running = getRuntime();
  if (running !== undefined) return await running.handleWebRequest(request);
  return Response.json(
    {
      type: "https://lockkeeper.dev/problems/unavailable",
      title: "Lockkeeper's server is not running",
      status: 503,
      code: "unavailable",
      detail: "Pages alone are running. Start the whole with `npm start`.",
    },
    { status: 503, headers: { "content-type": "application/problem+json" } },
  );
}

export {
  handleRequest as DELETE,
  handleRequest as GET,
  handleRequest as HEAD,
  handleRequest as OPTIONS,
  handleRequest as PATCH,
  handleRequest as POST,
  handleRequest as PUT,
};
