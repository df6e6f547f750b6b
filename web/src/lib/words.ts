/** customerOrders and customer_orders as customer orders. */
export function inWords(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim()
}

/** 1,234; with decimal places up to a number. */
export function number(n: number, places = 3): string {
  return n.toLocaleString('en', { maximumFractionDigits: places })
}

/** 1 dataset, 2 datasets */
export function amount(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`
}

/** The number of things unread, for a badge; '' if there are none. */
export function badge(unread: number, more: boolean): string {
  if (unread === 0) return ''
  return more || unread > 99 ? '99+' : String(unread)
}
