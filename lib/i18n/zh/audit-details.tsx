import type { Messages } from "../en/messages.ts";

export const auditDetails: Messages["auditDetails"] = {
  namespace: "auditDetails",
  when: "时间",
  target: "目标",
  reason: "原因",
  noReason: "未说明原因",
  request: "请求",
  entry: "条目",
  itsOutcome: (number) => `，结果见 ${number}`,
  who: "用户",
  by: (kind) => <>身份 {kind}，</>,
  might: (verbs) => <>，权限 {verbs}</>,
  from: "来源",
  notKnown: "未知",
  key: "键",
  heldBy: "持有者",
  version: "所见版本",
  fence: "栅栏号",
  outcome: "结果",
  notRecorded: "未记录：仍在进行，或服务器或其存储中途停止",
  holdOf: "所释放的持有者",
};
