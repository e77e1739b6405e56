// An authorization server on a library that nobody here wrote (oidc-provider), with three people of the world. Whoever is named by
// login_hint is signed in at once and agrees to what they may hold.
// usage: stranger_issuer.mjs PORT RESOURCE[,RESOURCE] REDIRECT...
import {generateKeyPairSync} from 'node:crypto';
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const library = createRequire(path.join(process.env.POSTERN_PEERS, 'oidc', 'package.json')).resolve('oidc-provider');
const {default: Provider, errors} = await import(pathToFileURL(library));
const [port, resources, ...redirects] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const scopes = ['desk:read', 'refunds:write', 'refunds:approve'];
const mayHold = {rowan: ['desk:read', 'refunds:write'], quinn: ['desk:read', 'refunds:write'], morgan: ['desk:read', 'refunds:approve']};
const key = generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey.export({format: 'jwk'});

const provider = new Provider(issuer, {
  clients: [{client_id: 'postern-host', client_name: 'Postern host', application_type: 'native', token_endpoint_auth_method: 'none',
             redirect_uris: redirects, grant_types: ['authorization_code', 'refresh_token'], response_types: ['code']}],
  jwks: {keys: [{...key, use: 'sig', alg: 'ES256', kid: 'stranger-1'}]},
  scopes: [...scopes, 'offline_access'],
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  responseTypes: ['code'],
  clientDefaults: {id_token_signed_response_alg: 'ES256'},
  enabledJWA: {idTokenSigningAlgValues: ['ES256']},
  pkce: {required: () => true},
  cookies: {keys: ['loopback-test-only']},
  ttl: {AccessToken: 300, AuthorizationCode: 60, Grant: 3600, Interaction: 300, Session: 3600, IdToken: 300, RefreshToken: 3600},
  features: {
    devInteractions: {enabled: false}, userinfo: {enabled: false}, rpInitiatedLogout: {enabled: false},
    registration: {enabled: true}, revocation: {enabled: true},
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo(_, uri) {
        if (!resources.split(',').includes(uri)) throw new errors.InvalidTarget();
        return {scope: scopes.join(' '), audience: uri, accessTokenTTL: 300, accessTokenFormat: 'jwt', jwt: {sign: {alg: 'ES256'}}};
      },
    },
  },
  findAccount: (_, id) => mayHold[id] && {accountId: id, claims: async () => ({sub: id})},
  interactions: {url: (_, interaction) => `/signin/${interaction.uid}`},
});

// In the place of pages: signs the person in, grants what the person may hold and refuses the rest.
provider.use(async (context, next) => {
  if (!context.path.startsWith('/signin/')) return next();
  const finish = (answer, more) => provider.interactionFinished(context.req, context.res, answer, more);
  context.respond = false;
  const {params, prompt, session, grantId} = await provider.interactionDetails(context.req, context.res);
  const who = params.login_hint ?? session?.accountId ?? 'rowan';
  if (!mayHold[who]) return finish({error: 'access_denied', error_description: 'unknown person'});
  if (prompt.name === 'login') return finish({login: {accountId: who}});
  const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({accountId: session.accountId, clientId: params.client_id});
  const {missingOIDCScope, missingResourceScopes = {}} = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [uri, wanted] of Object.entries(missingResourceScopes)) {
    const held = wanted.filter((scope) => mayHold[session.accountId].includes(scope));
    const refused = wanted.filter((scope) => !held.includes(scope));
    if (held.length) grant.addResourceScope(uri, held.join(' '));
    if (refused.length) grant.rejectResourceScope(uri, refused.join(' '));
  }
  return finish({consent: {grantId: await grant.save()}}, {mergeWithLastSubmission: true});
});
provider.listen(Number(port), '127.0.0.1', () => console.log(issuer));
