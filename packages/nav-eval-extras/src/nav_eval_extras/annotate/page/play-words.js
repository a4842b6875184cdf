"use strict";
// What the page says to people who play a benchmark, in place of what it says to those who write.
Object.assign(WORDS.en, {
  title: "Navigation",
  practice: "Practice",
  reached: "Goal reached",
  ready: "Your next task",
  ready_text: "Read it, then walk there and stop. Take a rest here if you like: the time counts only while you play.",
  idle_text: "Leave this page open: it goes on by itself when there is something for you.",
  done_text: "Every task was played. You may close this page.",
  leave_text: "Your walks are deleted for good, this link ends, and your payment code is void.",
  plays: "Episodes played",
  plays_all: "Episodes in all, each person counted",
  median: "Median seconds of a decision",
});
Object.assign(WORDS.zh, {
  title: "导航",
  practice: "练习",
  reached: "到达目标",
  ready: "您的下一项任务",
  ready_text: "请先阅读，再走到那里并停下。可以在这里休息：只有操作时才计时。",
  idle_text: "请不要关闭此页面：有任务给您时，会自动继续。",
  done_text: "所有任务都已完成。可以关闭此页面。",
  leave_text: "您的行走记录将被永久删除，此链接随之失效，付款码作废。",
  plays: "已完成的回合",
  plays_all: "总数（按人计）",
  median: "每次决定用时的中位数（秒）",
});
