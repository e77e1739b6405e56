// node http-server.mjs PORT DATABASE: the peer over Streamable HTTP, each request's token verified with jose.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { OAuthError, OAuthErrorCode, createMcpHandler, requireBearerAuth } from '@modelcontextprotocol/server';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { makeFactory } from './factory.mjs';
import { openStore } from './store.mjs';

const [port, database] = process.argv.slice(2);
const resource = `http://127.0.0.1:${port}/mcp`;
const keys = createLocalJWKSet(JSON.parse(readFileSync(`${process.env.PEER_KEYS}/jwks.json`, 'utf8')));
const handler = createMcpHandler(makeFactory(openStore(database)), { responseMode: 'auto' });
const gate = requireBearerAuth({
  verifier: {
    async verifyAccessToken(token) {
      try {
        const { payload } = await jwtVerify(token, keys, { issuer: 'http://127.0.0.1:8930', audience: resource, typ: 'at+jwt',
          algorithms: ['ES256'], requiredClaims: ['exp', 'sub', 'scope'] });
        return { token, clientId: payload.client_id, scopes: payload.scope.split(' '), expiresAt: payload.exp, resource: new URL(payload.aud), extra: { sub: payload.sub } };
      } catch {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'token refused');
      }
    },
  },
  requiredScopes: ['desk:read'],
  resourceMetadataUrl: `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`,
  expectedResource: new URL(resource),
});
const face = {
  async fetch(request, options) {
    const verdict = await gate(request);
    return verdict instanceof Response ? verdict : handler.fetch(request, { ...options, authInfo: verdict });
  },
};
const node = toNodeHandler(face);
const hostAllowed = localhostHostValidation();
const originAllowed = localhostOriginValidation();
createServer((request, response) => {
  if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
  void node(request, response);
}).listen(Number(port), '127.0.0.1');
