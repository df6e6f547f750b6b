// The time as it goes on while the page stays open: a reading each half minute.

let now = $state(Date.now())
setInterval(() => (now = Date.now()), 30_000)

export const clock = {
  get now() {
    return now
  },
}
