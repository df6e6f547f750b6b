// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest'
import { free, onward } from './keys'

afterEach(() => document.body.replaceChildren())

/** Whether a key acts when it is pressed at the element with the id "at". */
function acts(html: string, init: KeyboardEventInit = {}): boolean {
  document.body.innerHTML = html
  let answer: boolean | undefined
  document.addEventListener('keydown', (event) => (answer = free(event)), { once: true })
  const at = document.getElementById('at') ?? document.body
  at.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true, cancelable: true, ...init }))
  return answer!
}

describe('a letter acts on the page', () => {
  it.each([
    ['nowhere', ''],
    ['on a button', '<button id="at">x</button>'],
    ['on a link in the page', '<main><a id="at" href="/">x</a></main>'],
    ['on the button of a menu that is closed', '<button id="at" aria-haspopup="menu" aria-expanded="false">x</button>'],
  ])('with the focus %s', (_, html) => {
    expect(acts(html)).toBe(true)
    expect(acts(html, { shiftKey: true })).toBe(true)
  })

  it.each([
    ['in a text field', '<input id="at">'],
    ['in a text', '<textarea id="at"></textarea>'],
    ['in a select', '<select id="at"></select>'],
    ['in an editable part', '<div contenteditable="true"><b id="at">x</b></div>'],
    ['in a menu', '<ul role="menu"><li><button id="at" role="menuitem">x</button></li></ul>'],
    ['on the button of an open menu', '<button id="at" aria-haspopup="menu" aria-expanded="true">x</button>'],
    ['in a list of choices', '<ul role="listbox"><li id="at" role="option">x</li></ul>'],
    ['on a slider', '<div id="at" role="slider">x</div>'],
    ['in a dialog', '<div role="dialog"><button id="at">x</button></div>'],
    ['behind a dialog', '<div role="dialog">x</div><button id="at">x</button>'],
  ])('but not %s', (_, html) => expect(acts(html)).toBe(false))

  it.each(['ctrlKey', 'metaKey', 'altKey', 'isComposing'])('but not with %s', (modifier) => {
    expect(acts('<button id="at">x</button>', { [modifier]: true })).toBe(false)
  })

  it('but not when something has used it', () => {
    document.body.innerHTML = '<button id="at">x</button>'
    const at = document.getElementById('at')!
    at.addEventListener('keydown', (event) => event.preventDefault())
    let answer: boolean | undefined
    document.addEventListener('keydown', (event) => (answer = free(event)), { once: true })
    at.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true, cancelable: true }))
    expect(answer).toBe(false)
  })
})

it.each([
  ['ArrowLeft', 'ltr', 'ArrowLeft'],
  ['ArrowLeft', 'rtl', 'ArrowRight'],
  ['ArrowRight', 'rtl', 'ArrowLeft'],
  ['Home', 'rtl', 'Home'],
])('%s in %s means %s', (key, direction, meant) => expect(onward(key, direction)).toBe(meant))
