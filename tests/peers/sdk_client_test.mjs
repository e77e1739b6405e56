// The TypeScript SDK's client in its three postures (this revision only, whichever fits, the revisions before it) against the desk.
// usage: node --test, with POSTERN_BIN; POSTERN_OLDER_ERA is 1 where the build serves 2025-11-25 too
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import {Desk} from './desk.mjs';
import {requireFrom} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const olderEra = process.env.POSTERN_OLDER_ERA === '1';
const sdk = requireFrom('tsref');
const {Client, StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/client');
const {StdioClientTransport} = sdk('@modelcontextprotocol/client/stdio');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-sdk-client-'));
let desk;
before(async () => { desk = await Desk.start(bin, folder); });
after(async () => {
  await desk?.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

const overStdio = async () => new StdioClientTransport({
  command: path.join(bin, 'postern-desk'), args: ['stdio', '--as', 'rowan', '--ticket', 'T-1042'], stderr: 'ignore',
});
const overHttp = async () => new StreamableHTTPClientTransport(new URL(desk.url), {
  requestInit: {headers: {Authorization: `Bearer ${await desk.token()}`}},
});

// Connects, lists, opens a case and reads its order: the revision that was agreed.
async function useDesk(transport, mode, tools) {
  const client = new Client({name: 'sdk-client', version: '1.0.0'}, {capabilities: {}, versionNegotiation: {mode}});
  try {
    await client.connect(await transport());
    assert.equal((await client.listTools()).tools.length, tools);
    const opened = await client.callTool({name: 'open_case', arguments: {ticket_id: 'T-1042'}});
    const order = await client.callTool({name: 'get_order', arguments: {case_handle: opened.structuredContent.case_handle}});
    assert.equal(order.structuredContent.order_id, 'ORD-5521');
    return client.getNegotiatedProtocolVersion();
  } finally {
    await client.close();
  }
}

for (const [name, transport, tools] of [['stdio', overStdio, 6], ['HTTP', overHttp, 7]]) {
  test(`${name}: a client held to 2026-07-28 works`, async () => {
    assert.equal(await useDesk(transport, {pin: '2026-07-28'}, tools), '2026-07-28');
  });
  test(`${name}: a client that takes what it finds agrees on 2026-07-28`, async () => {
    assert.equal(await useDesk(transport, 'auto', tools), '2026-07-28');
  });
  if (olderEra) {
    test(`${name}: a client of the revisions before works too`, async () => {
      assert.equal(await useDesk(transport, 'legacy', tools), '2025-11-25');
    });
  } else {
    test(`${name}: a client of the revisions before is told which revision is spoken`, async () => {
      await assert.rejects(useDesk(transport, 'legacy', tools), /2026-07-28|-32022|version/i);
    });
  }
}
