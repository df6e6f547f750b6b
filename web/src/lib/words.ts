/** customerOrders and customer_orders as customer orders. */
export function inWords(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim()
}

/** 1,234 */
export function number(n: number): string {
  return n.toLocaleString('en')
}

/** 1 dataset, 2 datasets */
export function amount(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`
}
