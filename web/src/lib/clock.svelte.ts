// The current time, read every half minute while the page is open.

let now = $state(Date.now())
setInterval(() => (now = Date.now()), 30_000)

export const clock = {
  get now() {
    return now
  },
}
