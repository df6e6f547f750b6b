import { describe, expect, it } from 'vitest'
import { freeName } from './reads'

describe('the name of a secret', () => {
  it('is not one that another secret has', () => {
    expect(freeName('A', new Set())).toBe('A')
    expect(freeName('A', new Set(['A', 'A_2']))).toBe('A_3')
  })
})
