import type { Messages } from "../en/messages.ts";

export const views: Messages["views"] = {
  namespace: "views",
  bar: "视图",
  system: {
    all: "全部",
    needsAttention: "需关注",
    waited: "有人等待",
    noTtl: "无 TTL",
    pastTypical: "持有过久",
  },
  team: "团队共用",
  changed: "打开后已改动",
  moreOf: (name) => `${name} 的更多操作`,
  save: "保存视图",
  saveHint: "把当前搜索、排序和列保存为标签页，在每个浏览器中可用",
  ofHeld: (found, held) => `共 ${held} 个，匹配 ${found} 个`,
  pause: "暂停",
  pauseHint: "让各行静止不动（p）",
  goOn: "继续",
  goOnHint: "继续（p）",
  copy: "复制…",
  copyHint: "把当前搜索复制为链接或命令",
  export: "导出…",
  exportHint: "把所有匹配的锁导出为文件",
  more: "复制或导出列表",
  noSearch: "搜索无法解析，请先修正。",
};
