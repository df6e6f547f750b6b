import { parse } from 'svelte/compiler'
import { inText, lineUp, speaks } from './speaks'

/** A text of the source, with the places in it that are not text. */
export interface Unit {
  start: number
  end: number
  /** The text as translators see it: {0} is a value, <1>…</1> an element with text, <2/> one without. */
  text: string
  /** The second form of a text that counts. */
  plural?: string
  /** The form of the text in the source: markup, an attribute, a string, a template or the forms of a number. */
  form: 'markup' | 'attribute' | 'string' | 'template' | 'forms'
  /** The space around the text, which the text lacks. */
  before: string
  after: string
  holes: Hole[]
}

/** A place of a text that keeps its source: a value, a whole element, or the two tags of an element. */
export interface Hole {
  start: number
  end: number
  /** The range of the tag that ends an element, if its content is part of the text. */
  close?: { start: number; end: number }
}

// The nodes of Svelte's parser have one shape for scripts and markup.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Node = any

const inline = new Set(['a', 'abbr', 'b', 'bdi', 'code', 'em', 'i', 'kbd', 'q', 'small', 'span', 'strong'])
const shown = new Set(['aria-description', 'aria-label', 'aria-placeholder', 'aria-roledescription', 'aria-valuetext', 'alt', 'label', 'placeholder', 'title'])
/** The functions whose last arguments are the forms of a word that is counted. */
const counting: Record<string, number> = { amount: 1, named: 1 }
const tight = { before: '', after: '' }
/** Calls and constructions whose arguments are read by programs. */
const unsaid = new Set(['addEventListener', 'removeEventListener', 'querySelector', 'querySelectorAll', 'closest', 'matches', 'getItem', 'setItem', 'set', 'get', 'has', 'getAll', 'delete', 'append', 'startsWith', 'endsWith', 'includes', 'split', 'join', 'indexOf', 'replace', 'replaceAll', 'gql', 'getContext', 'setContext', 'dispatchEvent', 'createElement', 'setAttribute', 'getAttribute', 'hasOwn', 'RegExp', 'Map', 'URL', 'DOMException', 'CustomEvent', 'warn', 'error'])

/** The texts of a file; an outer text comes before the texts inside it. */
export function unitsOf(source: string, file: string): Unit[] {
  const script = !file.endsWith('.svelte')
  const head = '<script lang="ts">'
  const root: Node = parse(script ? `${head}${source}</script>` : source, { modern: true })
  const found: Unit[] = []
  const look = new Extraction(file, found)
  for (const part of [root.module, root.instance]) if (part) look.code(part.content, false)
  if (root.fragment && !script) look.fragment(root.fragment.nodes)
  for (const unit of found) if (unit.form === 'string' || unit.form === 'template') bare(unit)
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  return script ? found.map((unit) => moved(unit, -head.length)) : found
}

function bare(unit: Unit): void {
  const [, before = '', text = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(unit.text) ?? []
  Object.assign(unit, { before, text, after })
}

function moved(unit: Unit, by: number): Unit {
  return { ...unit, start: unit.start + by, end: unit.end + by, holes: unit.holes.map((hole) => ({ start: hole.start + by, end: hole.end + by })) }
}

class Extraction {
  constructor(
    private readonly file: string,
    private readonly found: Unit[],
  ) {}

  /** The children of an element or block. */
  fragment(nodes: Node[]): void {
    if (!nodes.some((node) => node.type === 'Text' && speaks(node.data))) {
      for (const node of nodes) this.markup(node)
      return
    }
    let from = 0
    let to = nodes.length
    const dumb = (node: Node) => node.type === 'Text' ? !node.data.trim() : node.type !== 'ExpressionTag' && !this.speaking(node)
    while (dumb(nodes[from])) this.markup(nodes[from++])
    while (dumb(nodes[to - 1])) this.markup(nodes[--to])
    const run = nodes.slice(from, to)
    const unit: Unit = { start: this.trimmedStart(run[0]), end: this.trimmedEnd(run[run.length - 1]), text: '', form: 'markup', holes: [], ...tight }
    this.say(run, unit)
    unit.text = lineUp(unit.text)
    this.found.push(unit)
  }

  private trimmedStart(node: Node): number {
    return node.type === 'Text' ? node.start + (node.raw.length - node.raw.trimStart().length) : node.start
  }

  private trimmedEnd(node: Node): number {
    return node.type === 'Text' ? node.end - (node.raw.length - node.raw.trimEnd().length) : node.end
  }

  /** Whether an element is a part of the sentence that it stands in. */
  private speaking(node: Node): boolean {
    return node.type === 'RegularElement' && inline.has(node.name) && node.fragment.nodes.length > 0 && node.fragment.nodes.some((one: Node) => (one.type === 'Text' && speaks(one.data)) || this.speaking(one)) && node.fragment.nodes.every((one: Node) => ['Text', 'ExpressionTag'].includes(one.type) || this.speaking(one))
  }

  private say(nodes: Node[], unit: Unit): void {
    for (const node of nodes) {
      if (node.type === 'Text') {
        unit.text += node.data
      } else if (node.type === 'Comment') {
        continue
      } else if (node.type === 'ExpressionTag') {
        unit.text += `{${unit.holes.length}}`
        unit.holes.push({ start: node.start, end: node.end })
        this.code(node.expression, true)
      } else if (this.speaking(node)) {
        const n = unit.holes.length
        const inner = node.fragment.nodes
        const close = { start: inner[inner.length - 1].end, end: node.end }
        unit.holes.push({ start: node.start, end: inner[0].start, close })
        for (const one of node.attributes) this.attribute(one, true)
        unit.text += `<${n}>`
        this.say(inner, unit)
        unit.text += `</${n}>`
      } else {
        unit.text += `<${unit.holes.length}/>`
        unit.holes.push({ start: node.start, end: node.end })
        this.markup(node)
      }
    }
  }

  /** One node of the markup, with all that is in it. */
  markup(node: Node): void {
    if (node.type === 'ExpressionTag') return this.code(node.expression, true)
    if (node.type === 'ConstTag') return this.code(node.declaration, false)
    if (node.type === 'RenderTag' || node.type === 'AttachTag' || node.type === 'HtmlTag') return this.code(node.expression, false)
    for (const one of node.attributes ?? []) this.attribute(one, node.type === 'RegularElement')
    for (const key of ['expression', 'test', 'key']) if (node[key]?.type) this.code(node[key], false)
    for (const key of ['fragment', 'body', 'consequent', 'alternate', 'fallback', 'pending', 'then', 'catch']) if (node[key]?.nodes) this.fragment(node[key].nodes)
  }

  private attribute(node: Node, element: boolean): void {
    if (node.expression?.type) return this.code(node.expression, false)
    if (node.type !== 'Attribute' || node.value === true) return
    const text = shown.has(node.name)
    const parts: Node[] = Array.isArray(node.value) ? node.value : [node.value]
    const said = parts.map((part, i) => (part.type === 'Text' ? part.data : `{${parts.slice(0, i).filter((one) => one.type !== 'Text').length}}`)).join('')
    for (const part of parts) if (part.type === 'ExpressionTag') this.code(part.expression, text)
    const isText = parts.some((part) => part.type === 'Text' && speaks(part.data)) && (text || (!element && inText(said)))
    if (!isText) return
    const holes = parts.filter((part) => part.type !== 'Text').map(({ start, end }) => ({ start, end }))
    this.found.push({ start: parts[0].start, end: parts[parts.length - 1].end, text: lineUp(said), form: 'attribute', holes, ...tight })
  }

  /** An expression or a program. In a value that is shown, words in small letters are texts too. */
  code(node: Node, value: boolean): void {
    if (!node || typeof node.type !== 'string') return
    if (node.type.startsWith('TS') && !node.expression && node.type !== 'TSParameterProperty') return
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return
      case 'Literal':
        if (typeof node.value === 'string' && this.said(node.value, value)) this.found.push({ start: node.start, end: node.end, text: node.value, form: 'string', holes: [], ...tight })
        return
      case 'TemplateLiteral':
        return this.template(node, value)
      case 'TaggedTemplateExpression':
        return
      case 'ConditionalExpression':
        this.code(node.test, false)
        this.code(node.consequent, value)
        return this.code(node.alternate, value)
      case 'LogicalExpression':
        this.code(node.left, value && node.operator !== '&&')
        return this.code(node.right, value)
      case 'BinaryExpression':
        if (node.operator !== '+') value = false
        for (const side of [node.left, node.right]) if (node.operator === '+' || side.type !== 'Literal') this.code(side, value)
        return
      case 'SwitchCase':
        for (const one of node.consequent) this.code(one, false)
        return
      case 'Property':
      case 'PropertyDefinition':
        if (node.computed && node.key.type !== 'Literal') this.code(node.key, false)
        return this.code(node.value, false)
      case 'MemberExpression':
        this.code(node.object, false)
        if (node.computed && node.property.type !== 'Literal') this.code(node.property, false)
        return
      case 'CallExpression':
      case 'NewExpression':
        return this.call(node)
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeArguments' || key === 'typeParameters') continue
      for (const one of Array.isArray(child) ? child : [child]) if ((one as Node)?.type) this.code(one, value && ['ParenthesizedExpression', 'TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(node.type))
    }
  }

  private call(node: Node): void {
    const name: string = node.callee.name ?? node.callee.property?.name ?? ''
    this.code(node.callee, false)
    const from = counting[name]
    const forms = from === undefined || name !== node.callee.name ? [] : node.arguments.slice(from)
    if (forms.length && forms.every((one: Node) => typeof one.value === 'string')) {
      for (const one of node.arguments.slice(0, from)) this.code(one, false)
      const [one, many] = forms.map((each: Node) => each.value as string)
      this.found.push({ start: forms[0].start, end: forms[forms.length - 1].end, text: one!, plural: many ?? `${one}s`, form: 'forms', holes: [], ...tight })
      return
    }
    for (const one of node.arguments) if (!unsaid.has(name) || !['Literal', 'TemplateLiteral'].includes(one.type)) this.code(one, false)
  }

  private template(node: Node, value: boolean): void {
    const said = node.quasis.map((quasi: Node, i: number) => (i ? `{${i - 1}}` : '') + quasi.value.cooked).join('')
    const shows = this.said(said, value)
    for (const one of node.expressions) this.code(one, value || shows)
    if (!shows) return
    const holes = node.expressions.map((_: Node, i: number) => ({ start: node.quasis[i].end, end: node.quasis[i + 1].start }))
    this.found.push({ start: node.start, end: node.end, text: said, form: 'template', holes, ...tight })
  }

  private said(text: string, value: boolean): boolean {
    return value ? speaks(text) : inText(text, this.file)
  }
}
