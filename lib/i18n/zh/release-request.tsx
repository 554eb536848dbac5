import type { Messages } from "../en/messages.ts";

export const releaseRequest: Messages["releaseRequest"] = {
  namespace: "releaseRequest",

  states: {
    requested: "已请求释放",
    accepted: "已同意释放",
    refused: "已拒绝释放",
  },
  sentences: {
    requested: "已有操作员请求其释放锁。",
    accepted: "持有者已同意释放锁的请求。",
    refused: "持有者已拒绝释放锁的请求。",
  },
  name: "请求",
  mark: (state, text) => (text === "" ? state : `${state}：“${text}”`),
  quoted: (text) => <>“{text}”</>,
  origin: (who, ago, reason) => (
    <>
      {who} 于 {ago}请求
      {reason !== null && <>：“{reason}”</>}
    </>
  ),

  method: "请求持有者释放",
  hint: "持有者会收到你填写的原因，可以同意或拒绝。",
  why: {
    requested: "不可用，因为持有者尚未答复上一次请求。",
    accepted: "不可用，因为持有者已同意上一次请求。",
  },
  previousHolder: "可以先完成工作，再释放锁。",
  reasons: ["部署", "维护", "阻塞其他工作", "测试"],
  reasonRequired: "请填写原因，持有者会收到。",
  reasonTooLong: (most) => `原因最多 ${most} 个字符，请缩短。`,
  reasonPlaceholder: "将发送给持有者，并记入审计日志",
  submit: "请求持有者释放",
  isSending: "正在发送请求…",

  titles: {
    requested: "已请求释放",
    accepted: "持有者已同意释放",
    refused: "持有者拒绝释放",
  },
  texts: {
    requested: "等待持有者答复。使用 HTTP API 的客户端在下次续期时收到请求。",
    accepted: "持有者会在工作完成后释放锁。",
    refused: "持有者继续持有锁。可以再次请求，或选择其他操作。",
  },

  released: "持有者已释放锁",
  ended: "该持有已结束",
  holder: "持有者",
  time: "时间",
  after: (clock, span) => `${clock}（Redis 时间），请求后 ${span}`,
  currentHolder: "当前持有者",
};
