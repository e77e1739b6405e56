// A desk on a library that nobody here wrote (the TypeScript SDK 2.x): verified tokens of any issuer, handles bound to their person, a scope challenge
// for the refund, and an approval by a link. POST to the link decides.
// usage: stranger_desk.mjs PORT ISSUER
import {randomBytes, randomUUID} from 'node:crypto';
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const from = createRequire(path.join(process.env.POSTERN_PEERS, 'sdkdesk', 'package.json'));
const load = (name) => import(pathToFileURL(from.resolve(name)));
const {McpServer, createMcpHandler, createRequestStateCodec, inputRequired, requireScopes, OAuthError, OAuthErrorCode} = await load('@modelcontextprotocol/server');
const {createMcpExpressApp, requireBearerAuth} = await load('@modelcontextprotocol/express');
const {toNodeHandler} = await load('@modelcontextprotocol/node');
const {createRemoteJWKSet, jwtVerify} = await load('jose');
const z = await load('zod/v4');

const [port, issuer] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`, resource = `${origin}/mcp`, metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
const {jwks_uri: keysUrl} = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
const keys = createRemoteJWKSet(new URL(keysUrl));
const caller = (context) => context.http?.authInfo?.extra?.sub ?? '?';
const state = createRequestStateCodec({key: randomBytes(32), bind: (context) => `${context.mcpReq.method}\0${caller(context)}`});
const cases = new Map(), approvals = new Map();
const said = (text, structuredContent) => ({content: [{type: 'text', text}], ...structuredContent && {structuredContent}});

function build() {
  const server = new McpServer({name: 'stranger-desk', version: '1.0.0'}, {requestState: {verify: state.verify}});
  server.registerTool('open_case', {
    description: 'Open the case for a ticket.', inputSchema: z.object({ticket: z.string()}), outputSchema: z.object({case_handle: z.string()}),
  }, async ({ticket}, context) => {
    const handle = `case_${randomBytes(16).toString('hex')}`;
    cases.set(`${caller(context)}:${handle}`, ticket);
    return said('opened', {case_handle: handle});
  });
  server.registerTool('get_order', {
    description: 'Read the order of the case.', inputSchema: z.object({case_handle: z.string()}),
    outputSchema: z.object({order_id: z.string(), total_cents: z.number().int()}),
  }, async ({case_handle: handle}, context) => cases.has(`${caller(context)}:${handle}`)
    ? said('ORD-5521', {order_id: 'ORD-5521', total_cents: 12900})
    : {...said('No open case with that handle for this caller.'), isError: true});
  server.registerTool('issue_refund', {
    description: 'Refund, after a supervisor approves.', inputSchema: z.object({case_handle: z.string(), amount_cents: z.number().int()}),
    scopeChallenge: requireScopes('desk:read', 'refunds:write'),
  }, async ({case_handle: handle, amount_cents: cents}, context) => {
    if (!cases.has(`${caller(context)}:${handle}`)) return {...said('No open case with that handle for this caller.'), isError: true};
    const earlier = context.mcpReq.requestState?.();
    if (!earlier) {
      const id = `APR-${randomUUID().slice(0, 8)}`;
      approvals.set(id, 'pending');
      return inputRequired({
        inputRequests: {approval: inputRequired.elicitUrl({message: `Approve refund of ${cents} cents`, url: `${origin}/approve/${id}`})},
        requestState: await state.mint({id, cents}, context),
      });
    }
    return approvals.get(earlier.id) === 'approved'
      ? said(`Refunded ${earlier.cents} cents (approval ${earlier.id}).`)
      : {...said(`Approval ${earlier.id} is still ${approvals.get(earlier.id)}. Nothing was refunded.`), isError: true};
  });
  return server;
}

async function verifyAccessToken(token) {
  try {
    const {payload} = await jwtVerify(token, keys, {issuer, audience: resource, typ: 'at+jwt', algorithms: ['ES256'], requiredClaims: ['exp', 'sub', 'scope']});
    return {token, clientId: String(payload.client_id ?? ''), scopes: String(payload.scope).split(' '), expiresAt: payload.exp,
            resource: new URL(payload.aud), extra: {sub: payload.sub}};
  } catch (error) {
    throw new OAuthError(OAuthErrorCode.InvalidToken, error.code ?? error.message);
  }
}

const app = createMcpExpressApp(), node = toNodeHandler(createMcpHandler(build));
app.get('/.well-known/oauth-protected-resource/mcp', (_, response) => response.json({
  resource, authorization_servers: [issuer], scopes_supported: ['desk:read', 'refunds:write'], bearer_methods_supported: ['header'],
}));
app.post('/approve/:id', (request, response) => { approvals.set(request.params.id, 'approved'); response.json({ok: true}); });
app.get('/approvals', (_, response) => response.json(Object.fromEntries(approvals)));
const gate = requireBearerAuth({resourceMetadataUrl: metadata, requiredScopes: ['desk:read'], expectedResource: new URL(resource), verifier: {verifyAccessToken}});
app.all('/mcp', gate, (request, response) => void node(request, response, request.body));
app.listen(Number(port), '127.0.0.1', () => console.log(resource));
