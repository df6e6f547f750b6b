// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { firstFocus } from './firstfocus'

test.each([
  ['a field', '<button id="close"></button><div data-body><a href="/x"></a><input id="want"></div><div data-foot><button id="save"></button></div>'],
  ['a long text', '<div data-body><textarea id="want"></textarea><input></div>'],
  ['a choice', '<div data-body><input type="checkbox"><select id="want"></select></div>'],
  ['no field that can be used', '<div data-body><input disabled></div><div data-foot><button id="want">Cancel</button><button>Remove</button></div>'],
  ['only a text with a control', '<button id="close"></button><div data-body><p></p><button id="want">Copy</button></div>'],
])('the focus begins rightly with %s', (_, html) => {
  document.body.innerHTML = html
  expect(firstFocus(document.body)?.id).toBe('want')
})

test('a dialog with nothing to use keeps the focus itself', () => {
  document.body.innerHTML = '<div data-body><p>Only a text</p></div>'
  expect(firstFocus(document.body)).toBeNull()
})
