// 简体中文。键与 i18n.en.ts 相同，少一个就无法编译。
import type { en } from './i18n.en'

export const zh: Record<keyof typeof en, string> = {
  title: '机群',
  project: '所属项目',
  'fresh.live': '实时 {time}',
  'fresh.old': '{age} 前的数据',
  'away.title': '得不到机群的消息',
  'away.words': '显示的是 {time} 时的状态。',
  'none.title': '没有机群',
  'none.words': '运行都在本机进行。机群可以让多台机器来运行：一个 PostgreSQL 数据库，每台机器上一个工作进程。',
  'none.how': '把它的地址写进项目设置或环境变量：',

  'figure.silent': '{n} 台无响应',
  'figure.slots': '已用槽位',
  waiting: '排队',
  'figure.resting': '休息',
  'figure.resting_note': '等人处理',
  'figure.finished': '已结束',

  'machines.title': '机器',
  'machines.none': '没有机器在运行。在一台机器上启动工作进程：',
  'machines.since': '已启动 {time}',
  slots: '{n} 个槽位，已用 {taken}',
  'machines.idle': '空闲',
  'machines.beat': '{n} 秒前有心跳',
  'machines.silent': '{time}无响应',
  'machines.dead': '已消失 {time}',

  'run.cycle': '周期',
  'run.tuning': '调优会话',
  'run.elsewhere': '由其他项目提交',
  'run.for': '已 {time}',

  'accounts.title': '账户',
  'accounts.none': '没有账户。新建一个：',
  'accounts.open': '开放',
  'accounts.full': '已满',
  'accounts.closed': '关闭至 {time}',
  'accounts.queued': '{n} 个排队',
  'accounts.each': '每位用户最多 {n} 个槽位',
  'accounts.running': '运行中',

  'queue.title': '队列',
  'queue.none': '没有排队的运行。',
  'queue.position': '位置',
  'queue.run': '运行',
  user: '用户',
  'queue.priority': '优先级',
  'queue.of': '{account}：{n} 个排队',
  'queue.more': '还有 {n} 个',

  'place.queued': '在 {account} 的队列中排第 {n}',
  'place.running': '在 {holder} 上，账户 {account}',
  'place.resting': '在机群中休息',
  'place.finished': '已在机群中结束，尚未取回',
}
