import type { Messages } from "../en/messages.ts";

export const docs: Messages["docs"] = {
  namespace: "docs",
  title: "文档",
  reading: "正在加载…",
  isEnglish: "响应字段的说明来自服务器的 OpenAPI 文档，仅有英文。",
  sections: "目录",
  guideShort: "快速开始",
  guideTitle: "快速开始：安全地使用锁",
  snippetLanguage: "示例语言",
  copyOf: (what) => `复制：${what}`,
  keyStep: "1. 创建 API 密钥。",
  keyText: (operation, read, lock) => (
    <>
      每个应用使用自己的 API 密钥。在控制台的“设置 → API 密钥”中创建，或调用 {operation}
      ，并为它授予所需键的 {read} 和 {lock} 权限。
    </>
  ),
  keyVariable: "环境变量",
  programStep: "2. 下载程序。",
  programText: {
    command: "程序在持有锁期间运行一条命令。运行要求见文件开头的注释。",
    function:
      "程序只有一个文件，仅依赖标准库。把 `Your work starts here.` 这一行下面的示例替换为你的业务代码。运行要求见文件开头的注释。",
  },
  runSample: (file) => `下载并运行 ${file}`,
  needs: {
    curl: "POSIX shell 和 curl 7.76 或更高版本",
    typescript: "fetch，Node.js 20 或更高版本",
    python: "urllib，Python 3.8 或更高版本",
    go: "net/http，Go 1.21 或更高版本",
    java: "java.net.http，Java 17 或更高版本",
  },
  programIn: (language) => `${language} 示例：安全地使用锁`,
  safeStep: "3. 了解它为什么安全。",
  points: {
    waits: "最多等待 10 秒；获取不到锁就不执行任务。",
    deadline: "自行维护截止时间：响应中 `waitedMs` 与 `remainingMs` 之和，用单调时钟从发出请求之前开始计时。",
    renews:
      "每过三分之一租约续期一次。没有收到有效响应就重试，直到截止时间。同一次获取的所有重试使用相同的 `Idempotency-Key`。",
    stops: "续期返回 `lost` 或截止时间已过时，立即停止任务，并终止任务启动的子进程。",
    fence:
      "把 fencing token（`fence`，栅栏令牌）传给任务，每次写入都要携带。暂停时间超过租约的进程自己无法察觉，只有资源端才能拒绝它的写入。",
    releases: "任务完成、失败或被中断时释放锁；任务可能仍在运行时不会释放。",
    killed: "即使进程被 SIGKILL 终止，续期和子进程也会随之停止；锁最迟在租约到期时过期。",
  },
  recipes: "定时任务防重复执行、选主、同时获取多把锁、带保护的写入，见仓库中的 `docs/recipes.md`。",
  eventsTitle: "监听事件",
  eventsText:
    "锁被获取、释放、丢失或变更时，Lockkeeper 会发送事件。这个程序读取 `GET /api/v1/events` 的 SSE 事件流，断线后自动重连，并从最后输出的事件继续。",
  eventsProgram: "监听事件的示例程序",
  allSamples: "全部示例程序：",
  reference: "API 参考",

  operationIn: (operation, language) => `${operation} 的 ${language} 示例`,
  needsOf: (language, needs) => `${language}：${needs}`,
  accessAnyone: "无需凭据。",
  accessNeeded: (access) => `需要 \`${access}\` 权限。`,
  parameters: "参数",
  body: "请求体",
  otherBodies: "其他请求体示例",
  errors: "错误",
  response: "响应",
  responseOf: (operation) => `${operation} 的响应`,
  members: "字段",
  required: "必填",
  parameterIn: { path: "路径参数", query: "查询参数", header: "请求头" },
  between: "，",
  limits: {
    units: { characters: " 个字符", items: " 项" },
    range: (least, most, unit) => `${least} 到 ${most}${unit}`,
    atMost: (most, unit) => `最多 ${most}${unit}`,
    atLeast: (least, unit) => `至少 ${least}${unit}`,
    pattern: (pattern) => `匹配 ${pattern}`,
    byDefault: (value) => `默认 ${value}`,
    separator: "；",
  },
};
