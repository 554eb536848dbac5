import type { Messages } from "../en/messages.ts";

export const docs: Messages["docs"] = {
  namespace: "docs",
  title: "文档",
  reading: "正在读取文档…",
  isEnglish: "各操作的说明来自服务器的 OpenAPI 文档，只有英文。",
  sections: "文档目录",
  guideShort: "五分钟写出安全的锁",
  guideTitle: "从零开始，五分钟写出安全的锁",
  snippetLanguage: "示例代码的语言",
  copyOf: (what) => `复制：${what}`,
  keyStep: "1. 密钥。",
  keyText: (make, read, lock) => (
    <>
      应用用 API 密钥调用接口：可以用首次启动时输出的那个，也可以为应用单独创建（在“设置”中，或调用 {make}
      ），并对所需的键授予 {read} 和 {lock} 权限。
    </>
  ),
  keyVariable: "把密钥放进变量",
  programStep: "2. 程序。",
  programText: (needs) => `把你的工作放在各步骤处。需要 ${needs}。`,
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
    waits: "它最多等锁十秒；得不到锁就什么也不做。",
    deadline:
      "它自己记一个截止时间：由授予结果中的 `waitedMs` 和 `remainingMs` 得出，用单调时钟从请求发出之前算起。每一步之前都先检查它。",
    fence:
      "每次写入都带上 `fence`。进程若暂停得比租约还久，自己并不知道：只有资源能拒绝它，因为它的栅栏号比资源见过的小。",
    renews: "它每过三分之一租约就续期一次。没有答复就重试，直到截止时间。",
    stops: "一旦锁 `lost`，或过了截止时间，它就停下：可能已有别人在做。它不再释放，因为已没有可释放的。",
    releases: "完成后，它先停止续期，再释放。崩溃不会释放任何东西：租约会自行到期。",
  },

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
