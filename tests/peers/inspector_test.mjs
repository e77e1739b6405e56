// The Inspector's command line, held to this revision, against the desk over stdio and over HTTP, and against the core's tasks and skills.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import {Desk} from './desk.mjs';
import {conformanceServer} from './fixture_server.mjs';
import {inspectorScript, runNode} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const toolsOverStdio = ['open_case', 'get_ticket', 'get_customer', 'get_order', 'get_policy', 'get_tracking'];
const toolsOverHttp = [...toolsOverStdio, 'issue_refund'];
const exitDone = 0, exitError = 1, exitNoToken = 3, exitToolError = 5;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-inspector-'));
let desk;
before(async () => { desk = await Desk.start(bin, home); });
after(async () => {
  await desk?.close();
  fs.rmSync(home, {recursive: true, force: true});
});

// Another HOME, so that no setting of whoever runs this plays a part.
const inspect = (...args) => runNode([inspectorScript, '--cli', '--protocol-era', 'modern', '--format', 'json', '-q', ...args],
                                     {env: {...process.env, HOME: home, NO_COLOR: '1'}});
const overStdio = ['--', path.join(bin, 'postern-desk'), 'stdio', '--as', 'rowan', '--ticket', 'T-1042'];
const overHttp = (token) => ['--stored-auth-only', '--transport', 'http', '--server-url', desk.url,
                             ...token ? ['--header', `Authorization: Bearer ${token}`] : []];
const call = (name, args) => ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];

function resultOf(ran) {
  assert.equal(ran.code, exitDone, ran.out + ran.err);
  const answer = JSON.parse(ran.out);
  return answer.result ?? answer;
}
const names = (list) => list.tools.map((tool) => tool.name).sort();

test('stdio: the tools are listed, and their schemas are ones that every client can use', async () => {
  const list = resultOf(await inspect('--strict', '--method', 'tools/list', ...overStdio));
  assert.deepEqual(names(list), [...toolsOverStdio].sort());
});

test('stdio: a tool is called', async () => {
  const result = resultOf(await inspect(...call('open_case', {ticket_id: 'T-1042'}), ...overStdio));
  assert.ok(result.structuredContent.case_handle.length > 20);
});

test('HTTP: the tools are listed, and their schemas are ones that every client can use', async () => {
  const list = resultOf(await inspect('--strict', '--method', 'tools/list', ...overHttp(await desk.token())));
  assert.deepEqual(names(list), [...toolsOverHttp].sort());
});

test('HTTP: a case is opened and its order is read', async () => {
  const token = await desk.token();
  const opened = resultOf(await inspect(...call('open_case', {ticket_id: 'T-1042'}), ...overHttp(token)));
  const order = resultOf(await inspect(...call('get_order', {case_handle: opened.structuredContent.case_handle}), ...overHttp(token)));
  assert.equal(order.structuredContent.order_id, 'ORD-5521');
});

test('HTTP: a handle that was never given out is a tool error', async () => {
  const ran = await inspect(...call('get_order', {case_handle: 'h'.repeat(43)}), ...overHttp(await desk.token()));
  assert.equal(ran.code, exitToolError, ran.out + ran.err);
});

test('HTTP: without a token, and with a wrong one, the Inspector is told to get one', async () => {
  for (const token of [undefined, 'not-a-token']) {
    const ran = await inspect('--method', 'tools/list', ...overHttp(token));
    assert.equal(ran.code, exitNoToken, ran.out + ran.err);
  }
});

const fixtures = ['--', conformanceServer, '--stdio'];

test('tasks: a call goes on as a task, and its result is the call\'s', async () => {
  const result = resultOf(await inspect(...call('slow_compute', {seconds: 0.3, label: 'x'}), ...fixtures));
  assert.equal(result.content[0].text, 'computed x');
});

test('tasks: one that fails as a tool does is a tool error, one that breaks is an error', async () => {
  assert.equal((await inspect(...call('failing_job', {}), ...fixtures)).code, exitToolError);
  assert.equal((await inspect(...call('protocol_error_job', {}), ...fixtures)).code, exitError);
});

test('skills: sizes and digests are those of the files', async () => {
  const ran = await inspect('--method', 'skills/list', '--verify', ...fixtures);
  assert.equal(ran.code, exitDone, ran.out + ran.err);
  assert.deepEqual(JSON.parse(ran.out).files.map((file) => file.status), ['verified', 'verified']);
});
