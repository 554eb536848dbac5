import { BASE_PATH } from "@/lib/api/base-path.ts";
import { buildProblemType, TITLE_OF_CODE } from "@/lib/contract/error.ts";
import { getRuntime } from "@/server/global-runtime.ts";

async function handleRequest(request: Request): Promise<Response> {
  const running = getRuntime();
  if (running !== undefined) return await running.handleWebRequest(request);
  return Response.json(
    {
      type: buildProblemType("unavailable", BASE_PATH),
      title: TITLE_OF_CODE.unavailable,
      status: 503,
      code: "unavailable",
      detail: "Only the pages are running, without the API. Start Lockkeeper with `npm start`.",
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
