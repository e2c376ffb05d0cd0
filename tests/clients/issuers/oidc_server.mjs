// SPDX-License-Identifier: Apache-2.0
// A real OAuth server (oidc-provider) on https://idp.test, with one client for each way of authentication.
//
//   node oidc_server.mjs PACKAGES ADDRESS CERTIFICATE KEY CA CLIENT_JWK   -> one line of JSON, then it listens
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { pathToFileURL } from 'node:url';
import { randomBytes, X509Certificate } from 'node:crypto';

const [packages, address, certificate, key, ca, clientJwk] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${packages}/node_modules/${name}`).href);
const { default: Provider } = await load('oidc-provider/lib/index.js');
const { generateKeyPair, exportJWK } = await load('jose/dist/webapi/index.js');

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const secret = 'a secret/with:every+kind%41'.replace(' ', '_');
const signing = { ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)), alg: 'ES256' };

const client = (client_id, method, more = {}) => ({
  client_id, token_endpoint_auth_method: method, grant_types: ['client_credentials'], redirect_uris: [],
  response_types: [], id_token_signed_response_alg: 'ES256', scope: 'api:read api:write', ...more,
});

const provider = new Provider('https://idp.test', {
  jwks: { keys: [signing] },
  clients: [
    client('basic:1', 'client_secret_basic', { client_secret: secret }),
    client('post', 'client_secret_post', { client_secret: secret }),
    client('signed', 'private_key_jwt', {
      jwks: { keys: [JSON.parse(readFileSync(clientJwk))] }, token_endpoint_auth_signing_alg: 'ES256' }),
    client('mutual', 'tls_client_auth', { tls_client_auth_subject_dn: 'CN=agent.test' }),
    client('bound', 'client_secret_basic', { client_secret: secret, dpop_bound_access_tokens: true }),
    client('exchanger', 'client_secret_basic', { client_secret: secret, grant_types: [exchange] }),
    client('refresher', 'client_secret_basic', {
      client_secret: secret, grant_types: ['refresh_token', 'authorization_code'], response_types: ['code'],
      redirect_uris: ['https://app.test/'], scope: 'openid offline_access' }),
  ],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth'],
  scopes: ['openid', 'offline_access', 'api:read', 'api:write'],
  findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: true,
  ttl: { ClientCredentials: 20, AccessToken: 20, RefreshToken: 600, Grant: 600 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    mTLS: {
      enabled: true, tlsClientAuth: true,
      getCertificate: (context) => {
        const raw = context.socket.getPeerCertificate().raw;
        return raw && new X509Certificate(raw);
      },
      certificateAuthorized: (context) => context.socket.authorized,
      certificateSubjectMatches: (context, property, expected) =>
        property === 'tls_client_auth_subject_dn' && `CN=${context.socket.getPeerCertificate().subject.CN}` === expected,
    },
    resourceIndicators: {
      enabled: true, defaultResource: () => undefined, useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'api:read api:write', accessTokenTTL: 20, accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } } }),
    },
  },
});

provider.on('server_error', (context, error) => console.error(error));

// RFC 8693: only the subject token that this server knows.
provider.registerGrantType(exchange, async (context) => {
  const { params, client: requester } = context.oidc;
  if (params.subject_token !== 'subject-0123456789') {
    context.status = 400;
    context.body = { error: 'invalid_grant' };
    return;
  }
  const token = new provider.ClientCredentials({ client: requester, scope: params.scope });
  context.body = {
    access_token: await token.save(), token_type: 'Bearer', expires_in: token.expiration, scope: params.scope,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  };
}, ['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type', 'scope'], []);

// A refresh token as a person would have got it in a browser.
const grant = new provider.Grant({ accountId: 'someone', clientId: 'refresher' });
grant.addOIDCScope('openid offline_access');
const grantId = await grant.save();
const refresh = new provider.RefreshToken({
  client: await provider.Client.find('refresher'), accountId: 'someone', grantId, scope: 'openid offline_access',
  gty: 'authorization_code', claims: {}, authTime: Math.floor(Date.now() / 1000),
});
const refreshToken = await refresh.save();

const options = {
  cert: readFileSync(certificate), key: readFileSync(key), ca: readFileSync(ca), requestCert: true,
  rejectUnauthorized: false,
};
// Said before anybody can connect: whoever waits for the port may read it.
console.log(JSON.stringify({ secret, refresh_token: refreshToken }));
createServer(options, provider.callback()).listen(443, address);
