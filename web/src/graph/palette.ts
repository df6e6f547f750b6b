// The colours of the theme, for code that cannot read CSS: the painting worker and pictures.

const names = [
  'bg', 'bg-raised', 'bg-sunken', 'bg-hover', 'border', 'border-strong', 'text', 'text-soft', 'accent', 'accent-text', 'accent-soft',
  'added', 'good-soft', 'ended', 'bad-soft', 'warn', 'warn-soft', 'edge', 'edge-lit',
  'kind-data', 'kind-job', 'kind-report', 'kind-person', 'kind-meaning', 'kind-place', 'kind-model',
] as const

export type Palette = Record<(typeof names)[number], string> & { font: string }

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element)
  const palette = { font: style.getPropertyValue('--font').trim() || 'sans-serif' } as Palette
  for (const name of names) palette[name] = style.getPropertyValue(`--${name}`).trim() || '#888888'
  return palette
}
