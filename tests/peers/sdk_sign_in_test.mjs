// The TypeScript SDK's client finds its own way into the desk: from the challenge of a 401 by the metadata of resource and issuer to a sign-in with
// PKCE, and from the challenge of a 403 to one with more scopes. What it cannot know is played here: the person at the issuer's page.
// Once at our issuer, and once at one on a library that nobody here wrote, for the same desk.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {Desk, send} from './desk.mjs';
import {requireFrom} from './programs.mjs';
import {browse, freePort, startScript} from './stranger.mjs';

const {Client, StreamableHTTPClientTransport, UnauthorizedError} = requireFrom('tsref')('@modelcontextprotocol/client');
const redirect = 'http://127.0.0.1:43123/callback';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-sdk-sign-in-'));
const desks = {};
let stranger;
before(async () => {
  desks.ours = await Desk.start(process.env.POSTERN_BIN, fs.mkdtempSync(path.join(folder, 'ours-')));
  const port = await freePort();
  desks.stranger = await Desk.start(process.env.POSTERN_BIN, fs.mkdtempSync(path.join(folder, 'stranger-')), {issuer: `http://127.0.0.1:${port}`});
  stranger = await startScript('stranger_issuer.mjs', port, desks.stranger.url, 'http://127.0.0.1/callback');
});
after(async () => {
  await Promise.all(Object.values(desks).map((desk) => desk.close()));
  stranger?.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

// Our issuer's page in a browser: the person chooses who they are, and is sent back with the answer. Gives its parameters.
async function signIn(address, person) {
  const page = await send('GET', address);
  assert.equal(page.status, 200, page.body);
  const form = {person};
  for (const [, name, value] of page.body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) form[name] = value;
  const headers = {Origin: address.origin, 'Sec-Fetch-Site': 'same-origin', Referer: address.href};
  const answer = await send('POST', new URL('/authorize', address), {form, headers});
  assert.ok(answer.headers.location?.startsWith(redirect), `${answer.status} ${answer.body}`);
  return new URL(answer.headers.location).searchParams;
}

// What the SDK keeps for one person; `asked` gets the address of each sign-in.
class Session {
  redirectUrl = redirect;
  clientMetadata = {client_name: 'Postern host', redirect_uris: [redirect], token_endpoint_auth_method: 'none', application_type: 'native'};
  asked = [];
  constructor(person, at) { this.person = person; this.at = at; }
  clientInformation() { return {client_id: 'postern-host'}; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
  async redirectToAuthorization(address) {
    this.asked.push(address.searchParams);
    this.answer = this.at === 'ours' ? await signIn(address, this.person) : (await browse(address, this.person, redirect)).searchParams;
  }
}

const open = (session) => new StreamableHTTPClientTransport(new URL(desks[session.at].url), {authProvider: session});

for (const at of ['ours', 'stranger']) test(`${at}: from a 401 to a token, and from a 403 to one that may do more`, async () => {
  const session = new Session('rowan', at);
  const client = new Client({name: 'sdk-sign-in', version: '1.0.0'}, {
    capabilities: {elicitation: {url: {}}}, versionNegotiation: {mode: {pin: '2026-07-28'}},
  });
  const first = open(session);
  await assert.rejects(client.connect(first), UnauthorizedError);
  await first.finishAuth(session.answer);
  const transport = open(session);
  await client.connect(transport);
  try {
    const [asked] = session.asked;
    assert.deepEqual([asked.get('scope'), asked.get('resource'), asked.get('code_challenge_method')], ['desk:read', desks[at].url, 'S256']);
    assert.equal(session.kept.scope, 'desk:read');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');

    const opened = await client.callTool({name: 'open_case', arguments: {ticket_id: 'T-1042'}});
    const refund = {name: 'issue_refund', arguments: {case_handle: opened.structuredContent.case_handle, line_id: 'LN-1', amount_cents: 4800, reason: 'damaged'}};
    await assert.rejects(client.callTool(refund), UnauthorizedError);
    assert.deepEqual(session.asked[1].get('scope').split(' ').sort(), ['desk:read', 'refunds:write']);
    await transport.finishAuth(session.answer);
    assert.deepEqual(session.kept.scope.split(' ').sort(), ['desk:read', 'refunds:write']);
    const refused = await client.callTool(refund);  // it may now, and nobody is there to approve
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /Nothing was refunded/);
  } finally {
    await client.close();
  }
});

for (const at of ['ours', 'stranger']) test(`${at}: a person who may not refund gets no token that may, whatever was asked for`, async () => {
  const session = new Session('morgan', at);
  const client = new Client({name: 'sdk-sign-in', version: '1.0.0'}, {
    capabilities: {elicitation: {url: {}}}, versionNegotiation: {mode: {pin: '2026-07-28'}},
  });
  const first = open(session);
  await assert.rejects(client.connect(first), UnauthorizedError);
  await first.finishAuth(session.answer);
  const transport = open(session);
  await client.connect(transport);
  try {
    const refund = {name: 'issue_refund', arguments: {case_handle: 'c'.repeat(40), line_id: 'LN-1', amount_cents: 4800, reason: 'damaged'}};
    await assert.rejects(client.callTool(refund), UnauthorizedError);
    assert.deepEqual(session.asked[1].get('scope').split(' ').sort(), ['desk:read', 'refunds:write']);
    await transport.finishAuth(session.answer).catch((error) => error);
    assert.ok(!session.kept.scope.includes('refunds:write'), session.kept.scope);
    await assert.rejects(client.callTool(refund));
  } finally {
    await client.close();
  }
});
