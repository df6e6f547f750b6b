/**
 * Repeats an action while a component is shown: after a number of milliseconds each, or never while the number is
 * undefined. A page that is not looked at waits.
 */
export function every(pause: () => number | undefined, act: () => void): void {
  $effect(() => {
    const milliseconds = pause()
    if (milliseconds === undefined) return
    const timer = setInterval(() => {
      if (!document.hidden) act()
    }, milliseconds)
    return () => clearInterval(timer)
  })
}
