// Mouse, touch and wheel on the stage.

export interface GestureHandlers {
  panBy(dx: number, dy: number): void
  /** Zooms around a point, given from the middle of the stage. */
  zoomAt(factor: number, dx: number, dy: number): void
  /** Returns whether the wheel was used, for example to scroll a list of columns. */
  wheel(event: WheelEvent): boolean
  /** The pointer rests without a pressed button; null if it has left the stage. */
  hover(event: PointerEvent | null): void
  drag(active: boolean): void
}

const SLACK = 4

/** Begins to listen. `dragged` in the answer tells a click from the end of a drag. */
export function gestures(host: HTMLElement, handlers: GestureHandlers): { dragged(): boolean; stop(): void } {
  const pointers = new Map<number, { x: number; y: number }>()
  const control = new AbortController()
  const { signal } = control
  let start: { x: number; y: number } | null = null
  let dragging = false
  let moved = false
  let hovered: PointerEvent | null = null
  let asked = 0

  const middle = (clientX: number, clientY: number) => {
    const box = host.getBoundingClientRect()
    return [clientX - box.left - box.width / 2, clientY - box.top - box.height / 2] as const
  }
  const own = (event: Event) => !(event.target as Element).closest('[data-apart]')

  host.addEventListener(
    'pointerdown',
    (event) => {
      if (!own(event) || event.button > 1) return
      moved = false
      const selects = event.pointerType === 'mouse' && event.button === 0 && (event.target as Element).closest('[data-selectable]')
      if (selects) return
      if (event.button === 1) event.preventDefault()
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      start = { x: event.clientX, y: event.clientY }
    },
    { signal },
  )
  host.addEventListener(
    'pointermove',
    (event) => {
      const before = pointers.get(event.pointerId)
      if (!before || (event.pointerType === 'mouse' && !event.buttons)) {
        pointers.delete(event.pointerId)
        hovered = own(event) ? event : null
        asked ||= requestAnimationFrame(() => {
          asked = 0
          handlers.hover(hovered)
        })
        return
      }
      const now = { x: event.clientX, y: event.clientY }
      if (!dragging) {
        if (pointers.size === 1 && start && Math.hypot(now.x - start.x, now.y - start.y) < SLACK) return
        dragging = moved = true
        host.setPointerCapture(event.pointerId)
        handlers.hover(null)
        handlers.drag(true)
      }
      if (pointers.size === 1) handlers.panBy(now.x - before.x, now.y - before.y)
      else {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1]
        const was = Math.hypot(before.x - other.x, before.y - other.y)
        const is = Math.hypot(now.x - other.x, now.y - other.y)
        handlers.panBy((now.x - before.x) / 2, (now.y - before.y) / 2)
        if (was > 0 && is > 0) handlers.zoomAt(is / was, ...middle((now.x + other.x) / 2, (now.y + other.y) / 2))
      }
      pointers.set(event.pointerId, now)
    },
    { signal },
  )
  const end = (event: PointerEvent) => {
    pointers.delete(event.pointerId)
    if (pointers.size) return
    start = null
    if (dragging) handlers.drag(false)
    dragging = false
  }
  host.addEventListener('pointerup', end, { signal })
  host.addEventListener('pointercancel', end, { signal })
  host.addEventListener(
    'pointerleave',
    () => {
      hovered = null
      handlers.hover(null)
    },
    { signal },
  )
  host.addEventListener(
    'wheel',
    (event) => {
      if (!own(event)) return
      event.preventDefault()
      if (event.ctrlKey || event.metaKey) {
        // Pinching on a touchpad comes as small steps, a wheel as large ones.
        const step = Math.max(-60, Math.min(60, event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY))
        handlers.zoomAt(Math.exp(-step * (Math.abs(step) < 40 ? 0.01 : 0.004)), ...middle(event.clientX, event.clientY))
        return
      }
      if (handlers.wheel(event)) return
      const scale = event.deltaMode === 1 ? 20 : 1
      const [dx, dy] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY]
      handlers.panBy(-dx * scale, -dy * scale)
    },
    { signal, passive: false },
  )
  return {
    dragged: () => moved,
    stop: () => {
      control.abort()
      cancelAnimationFrame(asked)
    },
  }
}
