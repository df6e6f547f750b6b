import './lib/theme.css'
import './lib/shell.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { route, start } from './lib/router.svelte'
import { learnRights } from './lib/rights.svelte'
import { learn, session } from './lib/session.svelte'
import { dropShell, shell } from './lib/shell'

// Development serves the start page at /ui/.
if (/^\/ui\/?$/.test(location.pathname)) history.replaceState(null, '', '/')

start({
  '/': () => import('./screens/home/Home.svelte'),
  '/ui/search': () => import('./screens/search/Search.svelte'),
  '/ui/browse': () => import('./screens/browse/Browse.svelte'),
  '/ui/glossary': () => import('./screens/hierarchy/Glossary.svelte'),
  '/ui/domains': () => import('./screens/hierarchy/Domains.svelte'),
  '/ui/feed': () => import('./screens/feed/FeedPage.svelte'),
  '/ui/documents': () => import('./screens/documents/Documents.svelte'),
  '/ui/documents/:urn': () => import('./screens/documents/DocumentPage.svelte'),
  '/ui/entity/:urn': () => import('./screens/entity/EntityPage.svelte'),
  '/ui/lineage/:urn': () => import('./screens/lineage/LineagePage.svelte'),
  '/ui/impact/:urn': () => import('./screens/impact/ImpactPage.svelte'),
  '/ui/time/:urn': () => import('./screens/time/TimePage.svelte'),
  '/ui/sql': () => import('./screens/sql/SqlPage.svelte'),
  '/ui/change': () => import('./screens/change/ChangePage.svelte'),
  '/ui/sources': () => import('./screens/sources/Sources.svelte'),
  '/ui/sources/new': () => import('./screens/sources/NewSource.svelte'),
  '/ui/sources/secrets': () => import('./screens/sources/Secrets.svelte'),
  '/ui/sources/:urn': () => import('./screens/sources/SourcePage.svelte'),
  '/ui/sources/:urn/edit': () => import('./screens/sources/EditSource.svelte'),
  '/ui/runs': () => import('./screens/runs/RunsPage.svelte'),
  '/ui/login': () => import('./screens/access/Login.svelte'),
  '/ui/signed-in': () => import('./screens/access/SignedIn.svelte'),
  '/ui/first': () => import('./screens/access/First.svelte'),
  '/ui/signup': () => import('./screens/access/SignUp.svelte'),
  '/ui/reset': () => import('./screens/access/Reset.svelte'),
  '/ui/tokens': () => import('./screens/access/Tokens.svelte'),
  '/ui/sessions': () => import('./screens/access/Sessions.svelte'),
  '/ui/password': () => import('./screens/access/Password.svelte'),
  '/ui/people': () => import('./screens/access/People.svelte'),
  '/ui/groups': () => import('./screens/access/Groups.svelte'),
  '/ui/services': () => import('./screens/access/Services.svelte'),
  '/ui/roles': () => import('./screens/access/Roles.svelte'),
  '/ui/policies': () => import('./screens/policies/Policies.svelte'),
  '/ui/policies/:urn': () => import('./screens/policies/PolicyPage.svelte'),
  '/ui/access': () => import('./screens/policies/Access.svelte'),
  '/ui/audit': () => import('./screens/access/Audit.svelte'),
  '/ui/runs/:id': () => import('./screens/runs/RunPage.svelte'),
})

/** Shows the page. */
async function show(target: HTMLElement) {
  const learned = learn()
  // The search box of the document stays until the start page can take its place, with the text that was typed.
  if (shell) {
    await learned
    if (session.on && session.urn) await learnRights(session.urn)
  }
  mount(App, { target })
  // A start page that cannot be shown, or that somebody must sign in for, does not take the place of the shell.
  route.screen?.().then(
    () => setTimeout(dropShell),
    () => dropShell(),
  )
}

const target = document.getElementById('app')
if (target) void show(target)
