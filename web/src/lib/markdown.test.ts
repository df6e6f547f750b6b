// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { decodeHTMLStrict } from './entities'
import { safeHtml } from './markdown'

test('markup in the text is shown as text', () => {
  expect(safeHtml('<script>alert(1)</script>')).not.toContain('<script')
  expect(safeHtml('<img src=x onerror=alert(1)>')).not.toContain('<img')
})

test('links that run code are none', () => {
  for (const address of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'java\tscript:x']) {
    expect(safeHtml(`[a](${address})`)).not.toMatch(/href/i)
    expect(safeHtml(`![a](${address})`)).not.toMatch(/href/i)
  }
})

test('links lead to the web, to mail and to this page, and nowhere else', () => {
  for (const address of ['file:///etc/passwd', 'blob:null/1', 'ftp://example.org/', 'tel:1', 'sms:1', 'intent://x#Intent;end', 'ms-word:ofe|u|http://x', 'ws://x', 'x.html', '#main', '?q=1', '\\\\example.org']) {
    expect(safeHtml(`[a](${address})`), address).not.toMatch(/<a [^>]*href/i)
    expect(safeHtml(`![a](${address})`), address).not.toMatch(/<a [^>]*href/i)
  }
  for (const address of ['http://example.org', 'HTTPS://example.org', 'mailto:a@example.org', '/ui/runs']) expect(safeHtml(`[a](${address})`), address).toContain(`href="${address}"`)
})

test('lists keep the number that they begin with', () => {
  expect(safeHtml('3. three')).toContain('<ol start="3">')
})

test('links to other servers say nothing about this page', () => {
  const html = safeHtml('[a](https://example.org/x)')
  expect(html).toContain('href="https://example.org/x"')
  expect(html).toContain('rel="noopener noreferrer nofollow"')
  expect(safeHtml('[a](//example.org/x)')).toContain('noreferrer')
})

test('links within the page stay in it', () => {
  expect(safeHtml('[a](/ui/browse)')).toBe('<p><a href="/ui/browse">a</a></p>\n')
})

test('mentions lead to the entity', () => {
  expect(safeHtml('[@orders](urn:li:tag:orders)')).toContain('href="/ui/entity/urn%3Ali%3Atag%3Aorders"')
})

test('pictures are links: nothing is loaded from other servers', () => {
  expect(safeHtml('![plan "a"](https://example.org/x.png)')).toMatch(/<a href="https:\/\/example.org\/x.png"[^>]*>plan "a"<\/a>/)
})

test('tables have no style attributes, which the policy forbids', () => {
  const html = safeHtml('| a | b |\n|--:|:-:|\n| 1 | 2 |')
  expect(html).toContain('class="align-right"')
  expect(html).not.toContain('style')
})

test('headings stand below those of the page', () => {
  expect(safeHtml('# One')).toBe('<h3>One</h3>\n')
  expect(safeHtml('##### Five')).toBe('<h6>Five</h6>\n')
})

test('names of characters are those of HTML, and give text only', () => {
  const text = (markdown: string) => safeHtml(markdown).replace(/<\/?p>/g, '').trim()
  expect(text('a&nbsp;b &hellip; &Auml; &CounterClockwiseContourIntegral; &ngE; &#65;&#x42; &#0;')).toBe('a&nbsp;b … Ä ∳ ≧̸ AB \ufffd')
  expect(text('&lt;img src=x onerror=alert(1)&gt; &quot; &amp;amp;')).toBe('&lt;img src=x onerror=alert(1)&gt; " &amp;amp;')
  expect(text('&nosuchname; &amp &#xfffff1;')).toBe('&amp;nosuchname; &amp;amp \ufffd')
  expect(decodeHTMLStrict('</textarea>&amp;')).toBe('</textarea>&amp;')
  expect(text('[x](/a?b=1&amp;c=&lt;)')).toContain('href="/a?b=1&amp;c=%3C"')
})
