import { parse, print } from 'graphql'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentsOf, importsSplit, shortened } from './documents'

test('documents are shortened without a change of their meaning', () => {
  const texts = documentsOf(readFileSync('src/gql/graphql.ts', 'utf8'))
  expect(texts.size).toBeGreaterThan(100)
  for (const [name, text] of texts) {
    expect(text, name).not.toMatch(/\n|  /)
    if (name.endsWith('Document')) expect(() => parse(text), name).not.toThrow()
  }
})

test.each([
  ['query A($a: Int!, $b: [String!] = ["x  y"]) @d {\n  one(a: $a, b: "p, \\"q  r")\n  two { ...F }\n}\nfragment F on T {\n  x\n}', 'query A($a:Int!,$b:[String!]=["x  y"])@d{one(a:$a,b:"p, \\"q  r")two{...F}}fragment F on T{x}'],
  ['{ a { ...F ... on T { b } } c: d @include(if: $e) }', '{a{...F ... on T{b}}c:d @include(if:$e)}'],
])('%s', (text, short) => {
  const found = shortened(text)
  expect(found).toBe(short)
  expect(print(parse(found))).toBe(print(parse(text)))
})

test('each document is imported alone, and other imports stay', () => {
  expect(importsSplit('import { A, B as C } from "../gql/graphql";import { D } from "./other";')).toBe(
    'import { A } from "../gql/graphql.ts?part=A";import { B as C } from "../gql/graphql.ts?part=B";import { D } from "./other";',
  )
})
