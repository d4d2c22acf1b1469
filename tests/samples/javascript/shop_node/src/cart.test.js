import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'

import { describeCart, total } from './cart.js'

let cart

beforeEach(() => {
  cart = [
    { price: 2, quantity: 1 },
    { price: 3, quantity: 4 },
  ]
})

describe('total', () => {
  it('is nothing for an empty cart', () => {
    assert.equal(total([]), 0)
  })

  it('counts every piece', () => {
    assert.equal(total(cart), 14)
  })
})

describe('describeCart', () => {
  it('knows an empty cart', () => {
    assert.equal(describeCart([]), 'empty')
  })
})
