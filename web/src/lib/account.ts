import { messageOf } from './graphql'
import { paths } from './paths'
import { call } from './rest.svelte'
import { navigate } from './router.svelte'
import { signedOut } from './session.svelte'
import { toast } from './toasts.svelte'

/** Ends the session of this browser and shows the sign-in screen. */
export async function signOut(): Promise<void> {
  try {
    await call('POST', '/logOut', {})
  } catch (error) {
    return toast(messageOf(error), 'bad')
  }
  // First the address, so that the next sign-in does not lead back to where this person was.
  navigate(paths.login())
  signedOut()
}
