import { expect, it } from 'vitest'
import { mermaid } from './exports'
import { show } from './shown'
import { dataset, graph } from './testgraph'
import { defaultView } from './view'

it('names in mermaid are text: they end no label, begin no directive and are no markup', () => {
  const name = `"] --> x %%{init: {"securityLevel": "loose"}}%% <b>\n#`
  const known = graph(['a > b'], { a: { name } })
  const text = mermaid(known, show(known, dataset('b'), defaultView), dataset('b'))
  const label = text.split('\n').find((line) => line.includes('init'))!
  const inside = /^ {2}n\d\["(.*)<br\/>X"\]$/.exec(label)?.[1]
  expect(inside).not.toMatch(/[%{}<>"]/)
  expect(inside?.replace(/#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))).toBe(name.replace('\n', ' '))
})
