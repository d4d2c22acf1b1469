// A cart of items with a price and a quantity.

export interface Item {
  price: number
  quantity: number
}

export function total(items: Item[]): number {
  let sum = 0
  for (const item of items) {
    sum += item.price
  }
  return sum
}

export function describeCart(items: Item[]): string {
  if (items.length === 0) {
    return 'empty'
  }
  return `${items.length} items, ${total(items)} in total`
}

export function clear(items: Item[]): void {
  items.length = 0
}
