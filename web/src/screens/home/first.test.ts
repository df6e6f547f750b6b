import { expect, test } from 'vitest'
import { firstLines, tryLine } from './first'

test('three lines, with the address of this server', () => {
  const lines = firstLines('https://catalog.example').split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toBe('export DATAHUB_GMS_URL=https://catalog.example')
})

test('a line for a shell, whose body is JSON', () => {
  const line = tryLine('http://127.0.0.1:8080')
  const body = /-d '([^']*)'$/.exec(line)?.[1] ?? ''
  expect(JSON.parse(JSON.parse(body).proposal.aspect.value)).toEqual({ name: 'orders', description: 'One row per order.' })
  expect(line.split("'").length).toBe(7)
})
