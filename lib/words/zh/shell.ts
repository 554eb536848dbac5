import type { Words } from "../all-words.ts";

export const shell: Words["shell"] = {
  room: "shell",
  console: "控制台",
  skipToContent: "跳到正文",
  places: {
    locks: "锁",
    owners: "持有者",
    events: "事件",
    targets: "目标",
    formats: "格式",
    audit: "审计",
    docs: "文档",
    settings: "设置",
  },
  parts: { overview: "概览", free: "释放面板" },
  broken: {
    title: (part) => `${part}：此部分出错。`,
    restGoesOn: "页面其余部分照常工作，未对任何锁做任何操作。",
    notLoaded: "无法加载：控制台可能已更新。未对任何锁做任何操作。",
    again: "重试",
    reload: "重新加载页面",
  },
  themes: { system: "跟随系统", light: "浅色", dark: "深色" },
  changeTheme: (present, next) => `主题：${present}。切换为${next}`,
  changeLanguage: (next) => `切换为 ${next}`,
};
