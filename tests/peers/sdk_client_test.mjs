// The TypeScript SDK's client in its three postures (this revision only, whichever fits, the revisions before it) against the desk, which answers the
// revisions before only where it is told to. What those clients see then is in older_era_test.mjs.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import {Desk} from './desk.mjs';
import {requireFrom} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const sdk = requireFrom('tsref');
const {Client, StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/client');
const {StdioClientTransport} = sdk('@modelcontextprotocol/client/stdio');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-sdk-client-'));
const desks = {};
before(async () => {
  for (const [name, more] of [['present', {}], ['both', {older_era: true}]]) {
    desks[name] = await Desk.start(bin, fs.mkdtempSync(path.join(folder, name)), more);
  }
});
after(async () => {
  await Promise.all(Object.values(desks).map((desk) => desk.close()));
  fs.rmSync(folder, {recursive: true, force: true});
});

const overStdio = (...options) => async () => new StdioClientTransport({
  command: path.join(bin, 'postern-desk'), args: ['stdio', '--as', 'rowan', '--ticket', 'T-1042', ...options], stderr: 'ignore',
});
const overHttp = (name) => async () => new StreamableHTTPClientTransport(new URL(desks[name].url), {
  requestInit: {headers: {Authorization: `Bearer ${await desks[name].token()}`}},
});

// Connects, lists, opens a case and reads its order: the revision that was agreed, and the number of tools.
async function useDesk(transport, mode) {
  const client = new Client({name: 'sdk-client', version: '1.0.0'}, {capabilities: {}, versionNegotiation: {mode}});
  try {
    await client.connect(await transport());
    const {tools} = await client.listTools();
    const opened = await client.callTool({name: 'open_case', arguments: {ticket_id: 'T-1042'}});
    const order = await client.callTool({name: 'get_order', arguments: {case_handle: opened.structuredContent.case_handle}});
    assert.equal(order.structuredContent.order_id, 'ORD-5521');
    return [client.getNegotiatedProtocolVersion(), tools.length];
  } finally {
    await client.close();
  }
}

const readTools = 6;
for (const [name, transport, tools] of [
  ['stdio', overStdio(), readTools], ['HTTP', overHttp('present'), readTools + 1],
  ['stdio, both eras', overStdio('--older-era'), readTools], ['HTTP, both eras', overHttp('both'), readTools + 1],
]) {
  test(`${name}: a client held to 2026-07-28 works`, async () => {
    assert.deepEqual(await useDesk(transport, {pin: '2026-07-28'}), ['2026-07-28', tools]);
  });
  test(`${name}: a client that takes what it finds agrees on 2026-07-28`, async () => {
    assert.deepEqual(await useDesk(transport, 'auto'), ['2026-07-28', tools]);
  });
}
for (const [name, transport] of [['stdio', overStdio()], ['HTTP', overHttp('present')]]) {
  test(`${name}: a client of the revisions before is told which revision is spoken`, async () => {
    await assert.rejects(useDesk(transport, 'legacy'), /2026-07-28/);
  });
}
