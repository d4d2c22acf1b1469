// A cart of items with a price and a quantity.

function total(items) {
  let sum = 0
  for (const item of items) {
    sum += item.price
  }
  return sum
}

function describeCart(items) {
  if (items.length === 0) {
    return 'empty'
  }
  return `${items.length} items, ${total(items)} in total`
}

function clear(items) {
  items.length = 0
}

module.exports = { clear, describeCart, total }
