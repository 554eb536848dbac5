import { runtime } from "@/server/global-runtime.ts";

async function answer(request: Request): Promise<Response> {
  const running = runtime();
  if (running !== undefined) return await running.answer(request);
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
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
