import DOMPurify from 'dompurify'
import MarkdownIt, { type Token } from 'markdown-it'
import { paths } from './paths'
import { isUrn } from './urns'

// Raw HTML is shown as text; the HTML that Markdown produces is sanitised too.
const reader = new MarkdownIt({ html: false, linkify: true, breaks: false })

// Headings of documentation are below the headings of the page.
reader.core.ruler.push('page', (state) => {
  for (const token of state.tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close') {
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`
    }
    // The content security policy allows no style attributes; a class sets the alignment.
    const style = attribute(token, 'style')
    if (style) {
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
      token.attrSet('class', style.replace('text-align:', 'align-'))
    }
  }
})

// The page loads nothing from other servers: a picture becomes a link.
reader.renderer.rules.image = (tokens, i) => {
  const token = tokens[i]!
  const address = attribute(token, 'src')
  return `<a href="${reader.utils.escapeHtml(address)}">${reader.utils.escapeHtml(token.content || address)}</a>`
}

reader.renderer.rules.link_open = (tokens, i, options, _, self) => {
  const token = tokens[i]!
  const address = attribute(token, 'href')
  // Mentions of entities: [@orders](urn:li:dataset:…).
  const urn = decoded(address)
  if (isUrn(urn)) token.attrSet('href', paths.entity(urn))
  return self.renderToken(tokens, i, options)
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '')
}

const ownLink = /^\/(?!\/)/

const purifier = DOMPurify()
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' || ownLink.test(node.getAttribute('href') ?? '')) return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Returns Markdown as HTML that is safe to show, whoever wrote the Markdown. */
export function safeHtml(text: string): string {
  return purifier.sanitize(reader.render(text), {
    USE_PROFILES: { html: true },
    // Only addresses of the web, of mail and of this page are allowed.
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/)/i,
    ADD_URI_SAFE_ATTR: ['start'],
    FORBID_TAGS: ['style', 'img', 'picture', 'video', 'audio', 'source', 'form', 'input', 'button', 'textarea', 'select'],
    FORBID_ATTR: ['style', 'id', 'name', 'src', 'srcset', 'background'],
  })
}
