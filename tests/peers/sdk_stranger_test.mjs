// The TypeScript SDK's client at an issuer that does not know it: it registers itself, or names the document about it, a person allows it at the
// issuer's pages, and its refresh token goes on for it. What it cannot know is played here: the person.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {Desk, send} from './desk.mjs';
import {requireFrom} from './programs.mjs';

const {Client, StreamableHTTPClientTransport, UnauthorizedError, auth} = requireFrom('tsref')('@modelcontextprotocol/client');
const redirect = 'http://127.0.0.1:43123/callback';
const metadata = {client_name: 'Stranger', redirect_uris: [redirect], token_endpoint_auth_method: 'none', application_type: 'native',
                  grant_types: ['authorization_code', 'refresh_token'], response_types: ['code']};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-sdk-stranger-'));
let desk, site, documentUrl, fetched = 0;
before(async () => {
  site = http.createServer((request, response) => {
    ++fetched;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({client_id: documentUrl, ...metadata}));
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  documentUrl = `http://127.0.0.1:${site.address().port}/client.json`;
  desk = await Desk.start(process.env.POSTERN_BIN, folder, {}, (url) => ({
    strangers: {registration: true, metadata_documents: true, scopes: ['desk:read', 'refunds:write'], resources: [url]},
  }));
});
after(async () => {
  await desk?.close();
  site?.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

// The pages of the issuer in one browser: rowan is chosen, and allows or denies. Gives the parameters of the answer.
async function atThePages(address, decision, words) {
  const page = await send('GET', address);
  assert.equal(page.status, 200, page.body);
  const press = (from, where, field, cookie) => {
    const form = {...field};
    for (const [, name, value] of from.body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) form[name] = value;
    return send('POST', new URL(where, address), {form, headers: {Origin: address.origin, 'Sec-Fetch-Site': 'same-origin', ...cookie}});
  };
  const consent = await press(page, '/authorize', {person: 'rowan'});
  assert.equal(consent.status, 200, consent.body);
  for (const word of words) assert.ok(consent.body.includes(word), `${word} is not in ${consent.body}`);
  const cookie = {Cookie: consent.headers['set-cookie'][0].split(';')[0]};
  const answer = await press(consent, '/consent', {decision}, cookie);
  assert.ok(answer.headers.location?.startsWith(redirect), `${answer.status} ${answer.body}`);
  return new URL(answer.headers.location).searchParams;
}

// What the SDK keeps for one person.
class Session {
  redirectUrl = redirect;
  clientMetadata = metadata;
  asked = [];
  constructor(words, decision = 'allow') { Object.assign(this, {words, decision}); }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
  async redirectToAuthorization(address) {
    this.asked.push(address.searchParams);
    this.answer = await atThePages(address, this.decision, this.words);
  }
}

const open = (session) => new StreamableHTTPClientTransport(new URL(desk.url), {authProvider: session});
const newClient = () => new Client({name: 'sdk-stranger', version: '1.0.0'}, {versionNegotiation: {mode: {pin: '2026-07-28'}}});

// Signs in, calls a tool, and does so again with what the refresh token gives.
async function signInAndRefresh(session) {
  const first = open(session);
  await assert.rejects(newClient().connect(first), UnauthorizedError);
  await first.finishAuth(session.answer);
  assert.deepEqual(session.kept.scope.split(' ').sort(), ['desk:read', 'offline_access']);
  const before = session.kept;
  assert.ok(before.refresh_token);
  assert.equal(await auth(session, {serverUrl: desk.url}), 'AUTHORIZED');
  assert.notEqual(session.kept.refresh_token, before.refresh_token);
  assert.equal(session.asked.length, 1);
  const client = newClient();
  await client.connect(open(session));
  try {
    const opened = await client.callTool({name: 'open_case', arguments: {ticket_id: 'T-1042'}});
    assert.ok(opened.structuredContent.case_handle);
  } finally {
    await client.close();
  }
  // The old one comes back: somebody copied it, so nothing of that sign-in is good any more.
  const form = {grant_type: 'refresh_token', client_id: session.asked[0].get('client_id')};
  const reused = await desk.post('/token', {...form, refresh_token: before.refresh_token});
  assert.equal(JSON.parse(reused.body).error, 'invalid_grant');
  const ended = await desk.post('/token', {...form, refresh_token: session.kept.refresh_token});
  assert.equal(JSON.parse(ended.body).error, 'invalid_grant');
}

test('a client that registers itself', async () => {
  const session = new Session(['a program that calls itself &quot;Stranger&quot;', 'It registered itself', '127.0.0.1:43123']);
  await signInAndRefresh(session);
  assert.match(session.client.client_id, /^cl_/);
});

test('a client whose id is the URL of a document about it', async () => {
  const session = new Session([new URL(documentUrl).host, 'any program here can say that it is']);
  session.client = {client_id: documentUrl};
  await signInAndRefresh(session);
  assert.equal(fetched, 1);
});

test('a person who says no', async () => {
  const session = new Session(['Stranger'], 'deny');
  await assert.rejects(newClient().connect(open(session)), UnauthorizedError);
  assert.equal(session.answer.get('error'), 'access_denied');
  assert.equal(session.answer.get('iss'), desk.issuer);
  assert.equal(session.kept, undefined);
});
