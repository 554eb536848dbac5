import type { Messages } from "../en/messages.ts";

const BYS: Messages["owners"]["bys"] = { owner: "所有者", service: "服务", host: "主机", session: "会话" };

export const owners: Messages["owners"] = {
  namespace: "owners",
  title: "所有者",
  search: "搜索所有者",
  placeholder: (example) => `筛选锁，例如 ${example}`,
  by: "分组方式",
  bys: BYS,
  nameHeads: BYS,
  heads: { holds: "锁", needs_attention: "需要处理", held: "最长持有", waiters: "等待" },
  joinReasons: (reasons) => reasons.join("，"),
  overdue: (count) => `${count} 把续期逾期`,
  noTtl: (count) => `${count} 把无 TTL`,
  unusuallyLong: (count) => `${count} 把持有过久`,
  noOwnerInCommon: "这些锁的值相同，但所有者不一定相同，请逐个释放。",
  targetDown: "目标恢复连接后，这里会显示所有者。",
  unknown: "未知",
  releaseAll: "全部释放…",
  releaseAllOf: (name) => `释放 ${name} 的所有锁`,
  noLocksHeld: "当前没有锁被持有",
  noMatch: "没有匹配的所有者",
  appearHere: "有客户端获取锁后，所有者会显示在这里。",
  notListed: (by) => `没有${BYS[by]}信息的持有者未列出，按所有者分组可查看。`,
  narrow: "缩小搜索范围可查看其余结果。",
  without: (_locks, shown, by) => `${shown} 把锁没有${BYS[by]}信息。`,
};
