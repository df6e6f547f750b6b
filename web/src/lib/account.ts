import { messageOf } from './graphql'
import { paths } from './paths'
import { rights } from './rights.svelte'
import { call } from './rest.svelte'
import { navigate } from './router.svelte'
import { session, signedOut } from './session.svelte'
import { toast } from './toasts.svelte'

/** Ends the session of this browser and shows the sign-in screen. */
export async function signOut(): Promise<void> {
  try {
    await call('POST', '/logOut', {})
  } catch (error) {
    return toast(messageOf(error), 'bad')
  }
  // The address changes first, so that the next sign-in does not lead back to the last screen of this person.
  navigate(paths.login())
  signedOut()
}

/**
 * The screens of administrators that the signed-in person may use. Without authentication, everybody may use
 * the screens of policies.
 */
export function administration(): { href: string; label: string }[] {
  const all: [href: string, label: string, ...privileges: string[]][] = [
    [paths.people(), 'People', 'MANAGE_USERS_AND_GROUPS', 'MANAGE_USER_CREDENTIALS', 'UPDATE_USERS'],
    [paths.groups(), 'Groups', 'MANAGE_USERS_AND_GROUPS', 'CREATE_USERS_AND_GROUPS', 'CREATE_GROUPS', 'UPDATE_GROUPS'],
    [paths.services(), 'Service accounts', 'MANAGE_SERVICE_ACCOUNTS'],
    [paths.roles(), 'Roles', 'MANAGE_POLICIES'],
    [paths.policies(), 'Policies', 'MANAGE_POLICIES'],
    [paths.access(), 'Who may do what', 'MANAGE_POLICIES'],
    [paths.audit(), 'Audit trail', 'MANAGE_SYSTEM_OPERATIONS'],
  ]
  const off = [paths.roles(), paths.policies(), paths.access(), paths.audit()]
  return all.filter(([href, , ...privileges]) => (session.on ? rights.has(...privileges) : off.includes(href))).map(([href, label]) => ({ href, label }))
}
