// An identity provider for tests: node server.js PORT. It keeps everything in memory. A person signs in
// by typing the name of an account; any password is accepted.
import { generateKeyPairSync } from 'node:crypto'
import Provider from 'oidc-provider'

const port = Number(process.argv[2])
const issuer = `http://127.0.0.1:${port}`

const account = (name, family, groups, verified = true) => ({
  email: `${name}@example.com`,
  email_verified: verified,
  name: `${name[0].toUpperCase()}${name.slice(1)} ${family}`,
  given_name: `${name[0].toUpperCase()}${name.slice(1)}`,
  family_name: family,
  groups,
})
const accounts = {
  ada: account('ada', 'Lovelace', ['data-platform', 'headwater-admins']),
  bob: account('bob', 'Baker', ['data-platform']),
  eve: account('eve', 'Moneypenny', []),
  mallory: account('mallory', 'Archer', ['data-platform'], false),
}

// The resource for which machines get tokens.
const resource = 'https://headwater.example.com/api'

const key = (type, options, kid, alg) => ({
  ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig',
})

const browser = (client_id, more = {}) => ({
  client_id,
  client_secret: `secret-of-${client_id}-for-tests`,
  redirect_uris: ['http://127.0.0.1/callback/oidc'],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  ...more,
})

const provider = new Provider(issuer, {
  clients: [
    browser('headwater'),
    browser('headwater-es', { id_token_signed_response_alg: 'ES256', token_endpoint_auth_method: 'client_secret_post' }),
    { client_id: 'loader', client_secret: 'secret-of-loader-for-tests', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
  ],
  jwks: { keys: [key('rsa', { modulusLength: 2048 }, 'rsa', 'RS256'), key('ec', { namedCurve: 'P-256' }, 'ec', 'ES256')] },
  cookies: { keys: ['a key for tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'], groups: ['groups'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  findAccount: (_, id) => accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
  pkce: { required: () => true },
  clientBasedCORS: () => false,
  features: {
    devInteractions: { enabled: true },
    clientCredentials: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, indicator) => {
        if (indicator !== resource) throw new Error(`no resource ${indicator}`)
        return { scope: 'write', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 3600, jwt: { sign: { alg: 'RS256' } } }
      },
    },
  },
  ttl: { AccessToken: 3600, ClientCredentials: 3600, IdToken: 3600, Interaction: 3600, Session: 3600, Grant: 3600 },
})

// Servers of tests have any port, on this machine only.
const ours = (address) => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === 'localhost')
}
provider.Client.prototype.redirectUriAllowed = ours
provider.Client.prototype.postLogoutRedirectUriAllowed = ours

provider.listen(port, '127.0.0.1', () => console.log(`the identity provider is ${issuer}`))
