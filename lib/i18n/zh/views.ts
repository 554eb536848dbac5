import type { Messages } from "../en/messages.ts";

export const views: Messages["views"] = {
  namespace: "views",
  bar: "视图",
  system: {
    all: "全部",
    needsAttention: "需要处理",
    waited: "有等待者",
    noTtl: "无 TTL",
    pastTypical: "持有过久",
  },
  team: "团队共享",
  changed: "有未保存的更改",
  moreOf: (name) => `${name} 的更多操作`,
  save: "保存视图",
  saveHint: "将当前搜索、排序和列保存为标签，在所有浏览器中可用",
  ofHeld: (found, held) => `共 ${held} 把，匹配 ${found} 把`,
  pause: "暂停",
  pauseHint: "暂停更新（p）",
  resume: "继续",
  resumeHint: "恢复更新（p）",
  copy: "复制…",
  copyHint: "将当前搜索复制为链接或命令",
  export: "导出…",
  exportHint: "将所有匹配的锁导出为文件",
  more: "复制或导出列表",
  invalidSearch: "搜索语法有误，请先修正。",
};
