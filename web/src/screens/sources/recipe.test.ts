import { describe, expect, it } from 'vitest'
import { labelOf, linesOf, parseRecipe, secretIn, secretNameOf, settingOf, stored, typeOfRecipe, withSetting, written } from './recipe'

const recipe = { source: { type: 'postgres', config: { host_port: 'db:5432', profiling: { enabled: true } } } }

describe('a recipe', () => {
  it('is read from YAML and from JSON', () => {
    expect(parseRecipe(written(recipe))).toEqual({ recipe })
    expect(parseRecipe(stored(recipe))).toEqual({ recipe })
  })

  it('keeps what looks like other kinds in later YAML', () => {
    expect(parseRecipe('source: {type: x, config: {a: "yes", b: "012", c: "${SECRET}"}}')).toEqual({ recipe: { source: { type: 'x', config: { a: 'yes', b: '012', c: '${SECRET}' } } } })
    const odd = { source: { config: { a: 'yes', b: '0o17', c: 'null', d: '1e3', e: 'a\nb' } } }
    expect(parseRecipe(written(odd))).toEqual({ recipe: odd })
  })

  it.each([
    ['source: [', /line 1/],
    ['- a', /A recipe is an object/],
    ['', /A recipe is an object/],
    ['a: 1\na: 2', /duplicated .* line 2/],
  ])('says what is wrong in %j', (text, error) => {
    const read = parseRecipe(text)
    expect('error' in read ? read.error : '').toMatch(error)
  })

  it('refuses a few lines that would become very large', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let i = 1; i < 9; i++) lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(',')}]`)
    expect(parseRecipe(lines.join('\n'))).toHaveProperty('error')
    expect(parseRecipe('a: &a {b: *a}')).toHaveProperty('error')
    expect(parseRecipe(`a: ${'['.repeat(50_000)}`)).toHaveProperty('error')
  })

  it('may use aliases', () => {
    expect(parseRecipe('a: &a [x]\nb: *a')).toEqual({ recipe: { a: ['x'], b: ['x'] } })
  })

  it('has settings', () => {
    expect(typeOfRecipe(recipe)).toBe('postgres')
    expect(typeOfRecipe({})).toBe('')
    expect(settingOf(recipe, 'profiling.enabled')).toBe(true)
    expect(settingOf(recipe, 'profiling.enabled.more')).toBeUndefined()
    expect(withSetting(recipe, 'profiling.enabled', undefined)).toEqual({ source: { type: 'postgres', config: { host_port: 'db:5432' } } })
    expect(withSetting({}, 'a.b', 1)).toEqual({ source: { config: { a: { b: 1 } } } })
    expect(withSetting({ source: { type: 'x' } }, 'a', undefined)).toEqual({ source: { type: 'x', config: {} } })
    expect(recipe.source.config.profiling.enabled).toBe(true)
  })

  it('names secrets', () => {
    expect(secretIn('${SHOP_PASSWORD}')).toBe('SHOP_PASSWORD')
    expect(secretIn('x${A}')).toBeUndefined()
    expect(secretNameOf('Shop (live)', 'password')).toBe('SHOP_LIVE_PASSWORD')
    expect(secretNameOf('3 shops', 'credential.private_key')).toBe('S_3_SHOPS_CREDENTIAL_PRIVATE_KEY')
  })

  it('has settings with names for people', () => {
    expect(labelOf('host_port')).toBe('Host and port')
    expect(labelOf('profiling.query_timeout_seconds')).toBe('Profiling: query timeout seconds')
    expect(labelOf('project_ids')).toBe('Project IDs')
    expect(labelOf('platform_instance_map')).toBe('Platform instance map')
    expect(linesOf(' a \n\n b')).toEqual(['a', 'b'])
  })
})
