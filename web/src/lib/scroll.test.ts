// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import { pathOf } from './scroll'

beforeEach(() => {
  document.body.innerHTML = '<main id="main"><section><div class="a"></div><div class="b"><p></p></div></section></main><div><i></i></div>'
})

describe('pathOf', () => {
  it.each(['.a', '.b', 'p', 'section', 'i', '#main'])('finds %s again', (selector) => {
    const element = document.querySelector(selector)!
    expect(document.querySelector(pathOf(element))).toBe(element)
  })
  it('begins at an id that stays', () => {
    expect(pathOf(document.querySelector('p')!)).toBe('#main > :nth-child(1) > :nth-child(2) > :nth-child(1)')
  })
})
