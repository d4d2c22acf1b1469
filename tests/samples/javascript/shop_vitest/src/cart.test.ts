import { beforeEach, describe, expect, it } from 'vitest'

import { describeCart, type Item, total } from './cart'

let cart: Item[]

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
