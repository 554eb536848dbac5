import type { OperationTexts } from "@/lib/reference/localized-document.ts";

const OPERATOR_ID = { id: "操作员的用户名。" };
const API_KEY_ID = { id: "API 密钥的 ID。" };
const AUDIT_FILTER = { key: "锁的键。`*` 和 `?` 是通配符。", target: "目标的名称。" };
const VIEW_ID = { id: "视图的 ID，由客户端在创建视图时指定。" };

/** Chinese strings for the operations with the tags Sessions, Operators, API keys, Views, Audit and API. */
export const accessOperations: Readonly<Record<string, OperationTexts>> = {
  createSession: {
    summary: "登录控制台",
    description:
      "使用一次性链接的 token，或操作员的用户名和密码，开始浏览器会话。用户名不存在和密码错误会在相同的时间后返回相同的响应。失败的尝试会按用户名和地址限速，延迟最长 15 分钟。密码正确的登录，每个操作员每 2 秒限一次，突发最多 50 次。",
    results: { "200": "新的会话。Cookie 为 HttpOnly。" },
    examples: ["一次性链接", "用户名和密码"],
  },
  deleteSession: {
    summary: "退出控制台",
    description: "结束浏览器会话并清除 Cookie。没有会话时也会成功。",
    results: { "204": "会话已结束。" },
  },
  getSession: {
    summary: "查看当前会话",
    description: "返回请求所属的浏览器会话。API 密钥没有会话，请求会被拒绝。",
    results: { "200": "当前会话。" },
  },
  listBrowserSessions: {
    summary: "列出浏览器会话",
    description: "列出你的浏览器会话。全局管理员可以看到所有操作员的会话。",
    results: { "200": "活跃的会话。" },
  },
  deleteBrowserSession: {
    summary: "结束浏览器会话",
    description: "在 2 秒内结束所有实例上的该会话，并关闭其数据流。全局管理员可以结束任意会话。",
    results: { "204": "会话已结束。" },
    parameters: { id: "浏览器会话的 ID。" },
  },
  listOperators: {
    summary: "列出操作员",
    description: "列出所有操作员，按用户名排序。",
    results: { "200": "操作员列表。" },
  },
  createOperator: {
    summary: "创建操作员",
    description: "创建操作员。授予的权限不能超过你自己的权限。",
    results: { "201": "操作员。" },
    examples: ["可以释放一个目标上的锁的操作员"],
  },
  getOperator: {
    summary: "查看操作员",
    description: "按用户名返回操作员。",
    results: { "200": "操作员。" },
    parameters: OPERATOR_ID,
  },
  updateOperator: {
    summary: "修改操作员",
    description:
      "修改操作员的角色，或启用、停用操作员。2 秒内在所有实例上生效，对活跃的会话同样有效。通过一次性链接开始的会话会结束。",
    results: { "200": "修改后的操作员。" },
    examples: ["修改角色", "停用操作员"],
    parameters: OPERATOR_ID,
  },
  deleteOperator: {
    summary: "删除操作员",
    description: "删除操作员，并在 2 秒内结束其在所有实例上的会话。",
    results: { "204": "操作员已删除。" },
    parameters: OPERATOR_ID,
  },
  setOperatorPassword: {
    summary: "设置操作员的密码",
    description:
      "设置密码，并结束该操作员的其他会话。操作员修改自己的密码时，需在 `old` 中提供当前密码。全局管理员可以设置任意操作员的密码。",
    results: { "204": "密码已修改。" },
    examples: ["修改自己的密码", "设置其他操作员的密码"],
    parameters: OPERATOR_ID,
  },
  listApiKeys: {
    summary: "列出 API 密钥",
    description: "列出除 root 密钥以外的所有 API 密钥，按名称排序。不会返回密钥串。",
    results: { "200": "API 密钥列表，不含密钥串。" },
  },
  createApiKey: {
    summary: "创建 API 密钥",
    description:
      "创建 API 密钥。密钥串只出现在此响应中，服务器只保存哈希。授予的权限不能超过你自己的权限；有到期时间的密钥不能创建更晚到期的密钥。",
    results: { "201": "API 密钥及其密钥串。" },
    examples: ["供对订单加锁的应用使用的密钥"],
  },
  getApiKey: {
    summary: "查看 API 密钥",
    description: "按 ID 返回 API 密钥，不含密钥串。",
    results: { "200": "API 密钥。" },
    parameters: API_KEY_ID,
  },
  updateApiKey: {
    summary: "修改 API 密钥的配额",
    description:
      "修改密钥的活跃持有数上限和占用 Redis 内存的上限，2 秒内在所有实例上生效。配额低于当前用量时会拒绝新的持有，已有的持有不受影响，仍可续期。",
    results: { "200": "API 密钥。" },
    examples: ["允许 50,000 个活跃持有", "使用服务器的上限"],
    parameters: API_KEY_ID,
  },
  revokeApiKey: {
    summary: "吊销 API 密钥",
    description:
      "在 2 秒内于所有实例上吊销密钥，并关闭其数据流。它获取的持有会保留，可以强制释放，或等待过期。密钥会以已吊销状态在列表中保留 30 天。",
    results: { "204": "密钥已吊销。此前已吊销时也返回此结果。" },
    parameters: API_KEY_ID,
  },
  rotateApiKey: {
    summary: "轮换 API 密钥的密钥串",
    description:
      "为密钥生成新的密钥串，ID 和权限不变。旧密钥串在 `overlapMs` 内继续有效，更早的密钥串立即失效。",
    results: { "200": "API 密钥及其新的密钥串。" },
    examples: ["旧密钥串保留 1 小时", "立即吊销旧密钥串"],
    parameters: API_KEY_ID,
  },
  listViews: {
    summary: "列出视图",
    description:
      "先列出你保存的视图，再列出团队的视图。视图包含锁列表的筛选条件、排序和列，在控制台中显示为标签页。只能访问部分键的调用方看不到团队视图。",
    results: { "200": "视图，按其顺序。" },
  },
  saveView: {
    summary: "创建或更新视图",
    description:
      "使用你指定的 ID 创建或替换视图。`place` 调整视图的位置，`of` 将视图在个人视图和团队视图之间移动。保存团队视图需要对某个目标的所有键具有 `force` 权限。个人视图和团队视图各最多 30 个。",
    results: { "200": "更改后的所有视图。" },
    examples: ["保存视图", "将视图移到最前", "与团队共享视图"],
    parameters: VIEW_ID,
  },
  deleteView: {
    summary: "删除视图",
    description: "删除你的一个视图，或一个你可以修改的团队视图。",
    results: { "204": "视图已删除。" },
    parameters: VIEW_ID,
  },
  listAuditActions: {
    summary: "列出审计操作",
    description:
      "返回操作，最新的在前。每个操作包含执行前记录的意图和执行后的结果。`outcome` 为 null 表示结果未记录：操作仍在进行，或者服务器、存储发生了故障。首次被拒绝的登录单独成条，一分钟内的后续拒绝合并计入一条。",
    results: { "200": "一页操作。" },
    parameters: { ...AUDIT_FILTER, limit: "每页的最大操作数。" },
  },
  exportAuditLog: {
    summary: "导出审计日志",
    description:
      "`jsonl` 返回审计链的记录及其哈希，最早的在前，在 `from` 和 `to` 之间完整；可用 `lockkeeper audit verify FILE` 校验文件。`csv` 返回符合筛选条件的操作，最新的在前。在 CSV 中，可能被电子表格当作公式执行的单元格以撇号开头，不可见字符会被转义。",
    results: { "200": "每行一条记录；CSV 中每行一个操作。" },
    parameters: {
      ...AUDIT_FILTER,
      format:
        "`jsonl`：审计链的记录，每行一条，可作为 `lockkeeper audit verify` 的输入；只接受 `from` 和 `to`。`csv`：每行一个操作，最新的在前；接受所有筛选条件。",
    },
  },
  verifyAuditLog: {
    summary: "校验审计日志",
    description:
      "校验所有保留记录的哈希，结果缓存 10 秒。能写入主存储的人可以重写整条审计链，因此请将 `head` 保存在别处，并用 `lockkeeper audit verify --head HASH` 比对。",
    results: { "200": "校验的结果。" },
  },
  getOpenApiDocument: {
    summary: "获取 OpenAPI 文档",
    description: "以 OpenAPI 3.1 文档的形式返回此 API。无需凭据。",
    results: { "200": "文档。" },
  },
};
