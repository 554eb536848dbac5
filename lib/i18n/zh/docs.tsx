import type { Messages } from "../en/messages.ts";

export const docs: Messages["docs"] = {
  namespace: "docs",
  title: "文档",
  reading: "正在读取文档…",
  isEnglish: "各操作的说明来自服务器的 OpenAPI 文档，只有英文。",
  sections: "文档目录",
  guideShort: "快速开始",
  guideTitle: "快速开始：一把安全的锁",
  snippetLanguage: "示例代码的语言",
  copyOf: (what) => `复制：${what}`,
  keyStep: "1. 创建 API 密钥。",
  keyText: (operation, read, lock) => (
    <>
      每个应用使用自己的 API 密钥。在控制台的“设置 → API 密钥”中创建，或调用 {operation}
      ，并对所需的键授予 {read} 和 {lock} 权限。
    </>
  ),
  keyVariable: "示例程序的环境变量",
  programStep: "2. 下载程序。",
  programText: {
    command: "它在持有锁期间运行一条命令。所需环境见文件开头的注释。",
    function:
      "只有一个文件，仅用标准库。把 `Your work starts here.` 一行下面的示例换成你的工作。所需环境见文件开头的注释。",
  },
  runSample: (file) => `下载并运行 ${file}`,
  needs: {
    curl: "curl 7.76 或更新，在 POSIX shell 中",
    typescript: "fetch，如 Node 20 或更新",
    python: "标准库的 urllib，Python 3.8 或更新",
    go: "标准库的 net/http，Go 1.21 或更新",
    java: "java.net.http，Java 17 或更新",
  },
  programIn: (language) => `安全的锁，${language}`,
  safeStep: "3. 为什么安全。",
  points: {
    waits: "最多等待锁十秒；拿不到锁就不执行任何工作。",
    deadline: "自行维护截止时间：响应中的 `waitedMs` 加 `remainingMs`，用单调时钟从发出请求之前算起。",
    renews:
      "每过三分之一租约续期一次。没有可用的响应就重试，直到截止时间。一次获取的所有重试使用同一个 `Idempotency-Key`。",
    stops: "锁一旦 `lost`，或截止时间已过，就停止工作，并杀掉工作启动的子进程。",
    fence:
      "把 `fence`（栅栏令牌）交给工作，每次写入都要带上它。暂停超过租约的进程自己并不知道，只有资源能拒绝它的写入。",
    releases: "工作结束、失败或被中断时都会释放锁；工作可能仍在运行时绝不释放。",
    killed: "即使被 SIGKILL 杀掉，续期和子进程也随之结束；最迟到租约到期时，锁就会空出来。",
  },
  recipes: "定时任务防重叠、选主、同时持有多把锁、受保护的写入，见仓库中的 `docs/recipes.md`。",
  eventsTitle: "监听事件",
  eventsText:
    "锁被获取、释放、丢失或变更时，Lockkeeper 会发出事件。此程序订阅 `GET /api/v1/events` 的事件流，断线后自动重连，并从最后输出的事件之后继续。",
  eventsProgram: "监听事件的程序",
  allSamples: "全部示例程序：",
  reference: "API 参考",

  operationIn: (operation, language) => `${operation}，${language} 示例`,
  needsOf: (language, needs) => `${language}：${needs}`,
  accessAnyone: "无需凭据。",
  accessNeeded: (access) => `需要 \`${access}\` 权限。`,
  parameters: "参数",
  body: "请求体",
  otherBodies: "其他用途的请求体",
  errors: "错误",
  answer: "答复",
  answerOf: (operation) => `${operation} 的答复`,
  members: "字段",
  required: "必填",
};
