// Clients that open with `initialize` (2025-11-25) against a desk that is configured to answer them: the TypeScript SDK's client in its older
// posture, and the Inspector as it is without an option.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import {Desk} from './desk.mjs';
import {inspectorScript, requireFrom, runNode} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const sdk = requireFrom('tsref');
const {Client, StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/client');
const {StdioClientTransport} = sdk('@modelcontextprotocol/client/stdio');

// Those that read, and the one that reading begins with.
const readTools = ['open_case', 'get_ticket', 'get_customer', 'get_order', 'get_policy', 'get_tracking'].sort();
const stdioArgs = ['stdio', '--as', 'rowan', '--ticket', 'T-1042', '--older-era'];
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-older-era-'));
let desk;
before(async () => { desk = await Desk.start(bin, home, {older_era: true}); });
after(async () => {
  await desk?.close();
  fs.rmSync(home, {recursive: true, force: true});
});

const overStdio = async () => new StdioClientTransport({command: path.join(bin, 'postern-desk'), args: stdioArgs, stderr: 'ignore'});
const overHttp = async () => new StreamableHTTPClientTransport(new URL(desk.url), {
  requestInit: {headers: {Authorization: `Bearer ${await desk.token('desk:read refunds:write')}`}},
});

async function withClient(transport, mode, body) {
  const client = new Client({name: 'sdk-client', version: '1.0.0'}, {capabilities: {}, versionNegotiation: {mode}});
  try {
    await client.connect(await transport());
    return await body(client);
  } finally {
    await client.close();
  }
}
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name).sort();
const open = async (client) => {
  const {structuredContent} = await client.callTool({name: 'open_case', arguments: {ticket_id: 'T-1042'}});
  return structuredContent.case_handle;
};
const neverGiven = 'h'.repeat(43);

for (const [name, transport, modernTools] of [['stdio', overStdio, readTools], ['HTTP', overHttp, [...readTools, 'issue_refund'].sort()]]) {
  test(`${name}: a client of 2025-11-25 gets the tools that read, and none that writes`, () => withClient(transport, 'legacy', async (client) => {
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    assert.deepEqual(await names(client), readTools);
    assert.equal((await client.callTool({name: 'get_ticket', arguments: {case_handle: neverGiven}})).isError, true);
    await assert.rejects(client.callTool({name: 'issue_refund', arguments: {}}), /Unknown tool: issue_refund/);
    await client.ping();
  }));
  for (const mode of [{pin: '2026-07-28'}, 'auto']) {
    test(`${name}: a client of 2026-07-28 (${JSON.stringify(mode)}) is served as without the block`, () => withClient(transport, mode, async (client) => {
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.deepEqual(await names(client), modernTools);
      assert.ok((await open(client)).length > 20);
    }));
  }
}

test('HTTP: a client of 2025-11-25 opens a case and reads it', async () => {
  const order = await withClient(overHttp, 'legacy', async (client) => client.callTool({name: 'get_order', arguments: {case_handle: await open(client)}}));
  assert.equal(order.structuredContent.order_id, 'ORD-5521');
});

// Another HOME, so that no setting of whoever runs this plays a part.
async function inspect(exit, ...args) {
  const ran = await runNode([inspectorScript, '--cli', '--format', 'json', '-q', ...args], {env: {...process.env, HOME: home, NO_COLOR: '1'}});
  assert.equal(ran.code, exit, ran.out + ran.err);
  return ran.out;
}
const exitDone = 0, exitToolError = 5;
const call = (name, handle) => ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify({case_handle: handle})];
const listed = async (server) => {
  const answer = JSON.parse(await inspect(exitDone, '--method', 'tools/list', ...server));
  return (answer.result ?? answer).tools.map((tool) => tool.name).sort();
};

test('stdio: the Inspector as it is without an option lists and calls', async () => {
  const server = ['--', path.join(bin, 'postern-desk'), ...stdioArgs];
  assert.deepEqual(await listed(server), readTools);
  await inspect(exitToolError, ...call('get_ticket', neverGiven), ...server);
});

test('HTTP: the Inspector as it is without an option lists and calls', async () => {
  const handle = await withClient(overHttp, {pin: '2026-07-28'}, open);
  const server = ['--stored-auth-only', '--transport', 'http', '--server-url', desk.url, '--header', `Authorization: Bearer ${await desk.token()}`];
  assert.deepEqual(await listed(server), readTools);
  assert.match(await inspect(exitDone, ...call('get_order', handle), ...server), /ORD-5521/);
});
