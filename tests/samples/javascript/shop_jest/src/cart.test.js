const { describeCart, total } = require('./cart')

let cart

beforeEach(() => {
  cart = [
    { price: 2, quantity: 1 },
    { price: 3, quantity: 4 },
  ]
})

describe('total', () => {
  it('is nothing for an empty cart', () => {
    expect(total([])).toBe(0)
  })

  it('counts every piece', () => {
    expect(total(cart)).toBe(14)
  })
})

describe('describeCart', () => {
  it('knows an empty cart', () => {
    expect(describeCart([])).toBe('empty')
  })
})
