import type { Messages } from "../en/messages.ts";

const BYS: Messages["owners"]["bys"] = { owner: "持有者", service: "服务", host: "主机" };

export const owners: Messages["owners"] = {
  namespace: "owners",
  title: "持有者",
  search: "搜索持有者",
  placeholder: (example) => `按锁筛选，如 ${example}`,
  by: "分组方式",
  bys: BYS,
  nameHeads: BYS,
  heads: { holds: "锁", needs_attention: "需关注", held: "最久", waiters: "等待" },
  overdue: (count) => `${count} 把续期逾期`,
  noTtl: (count) => `${count} 把无 TTL`,
  unusuallyLong: (count) => `${count} 把持有过久`,
  noOwnerInCommon: "这些锁只是值相同，持有者未必相同，请逐把释放。",
  targetDown: "目标恢复连接后，这里会显示持有者。",
  unknown: "未知",
  releaseAll: "全部释放…",
  releaseAllOf: (name) => `释放 ${name} 的所有锁`,
  noLocksHeld: "当前没有锁被持有",
  noMatch: "没有匹配的持有者",
  appearHere: "有人获取锁后，会立即出现在这里。",
  notListed: (by) => `未注明${BYS[by]}的持有者不在此列，请按持有者查看。`,
  narrow: "缩小搜索范围可查看其余。",
  without: (_locks, shown, by) => `${shown} 把锁未注明${BYS[by]}。`,
};
