// Servers that people use and that nobody here wrote, reviewed and called through `postern`: three speak 2026-07-28; five speak only what was before
// it, so they fail loudly when pinned and work where the configuration says "auto".
import {test} from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {peers, run, withFolder} from './programs.mjs';

const postern = path.join(process.env.POSTERN_BIN, 'postern');
const packages = path.join(peers, 'public/node_modules');
const notOffered =
  'Version negotiation failed: the server did not offer pinned protocol version 2026-07-28 via server/discover (no fallback in pin mode)';

// How the package says that it is started, as [file, arguments...] for this Node.
function program(name, ...args) {
  const manifest = JSON.parse(fs.readFileSync(path.join(packages, name, 'package.json'), 'utf8'));
  const bin = typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin)[0];
  return {command: process.execPath, args: [path.join(packages, name, bin), ...args]};
}

// A person with a configuration of their own, and nothing else.
function person(folder, servers) {
  const home = path.join(folder, 'home');
  fs.mkdirSync(path.join(home, '.config/postern'), {recursive: true, mode: 0o700});
  fs.writeFileSync(path.join(home, '.config/postern/config.json'), JSON.stringify({mcpServers: servers}), {mode: 0o600});
  const env = {PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8'};
  return (...args) => run(postern, args, {env, cwd: folder, seconds: 40});
}

async function reviewed(as, name) {
  const review = await as('pins', 'review', '--server-name', name);
  assert.equal(review.code, 0, review.err);
  const accept = await as('pins', 'accept', '--server-name', name, '--reviewer', 'Rowan Diaz');
  assert.equal(accept.code, 0, accept.err);
  return review;
}

async function labeled(as, name, tool, input, codes = [0]) {
  const call = await as('--json', 'call', name, tool, JSON.stringify(input));
  assert.ok(codes.includes(call.code), call.out + call.err);
  const answer = JSON.parse(call.out);
  assert.equal(answer.is_error, call.code === 1);
  assert.match(answer.text, new RegExp(`^<untrusted-data nonce="[0-9a-f]{16}" server="${name}" tool="${tool}">\n`));
  return answer.text;
}

const modern = [
  ['context7', program('@upstash/context7-mcp'), 2, 'resolve-library-id', {query: 'how to pitch a tent', libraryName: 'tent'}, /librar/i],
  ['mongodb', program('mongodb-mcp-server', '--readOnly'), 18, 'list-databases', {connectionId: 'shelf'}, /does not exist or has expired/],
  ['onepassword', program('@takescake/1password-mcp'), 15, null],
];
for (const [name, server, tools, tool, input, says] of modern) {
  test(`${name} speaks 2026-07-28: reviewed, and a tool is called`, () => withFolder(async (folder) => {
    const as = person(folder, {[name]: {...server, limits: {request: '35s', silence: '35s'}}});
    const review = await reviewed(as, name);
    assert.match(review.err, new RegExp(`${tools} definitions of ${name} `));
    const verify = await as('pins', 'verify', '--server-name', name);
    assert.equal(verify.code, 0, verify.out + verify.err);
    // Without a network or an account the honest outcome is a labeled result that says so; context7 does not call it an error.
    if (tool) assert.match(await labeled(as, name, tool, input, [0, 1]), says);
  }));
}

const older = [
  ['files', (folder) => program('@modelcontextprotocol/server-filesystem', folder)],
  ['everything', () => program('@modelcontextprotocol/server-everything', 'stdio')],
  ['memory', () => program('@modelcontextprotocol/server-memory')],
  ['thinking', () => program('@modelcontextprotocol/server-sequential-thinking')],
  ['eslint', () => program('@eslint/mcp')],
];
for (const [name, server] of older) {
  test(`${name} speaks only what was before: pinned it fails loudly, in auto it works`, () => withFolder(async (folder) => {
    fs.writeFileSync(path.join(folder, 'note.txt'), 'Poles are under shelf 4.\n');
    const pinned = await person(folder, {[name]: server(folder)})('pins', 'review', '--server-name', name);
    assert.equal(pinned.code, 3, pinned.out + pinned.err);
    assert.ok(pinned.err.includes(notOffered), pinned.err);
    assert.match(pinned.err, /"era": "auto"/);

    const as = person(folder, {[name]: {...server(folder), era: 'auto'}});
    await reviewed(as, name);
    if (name === 'files') {
      assert.match(await labeled(as, name, 'read_text_file', {path: path.join(folder, 'note.txt')}), /Poles are under shelf 4\./);
      const outside = await labeled(as, name, 'read_text_file', {path: '/etc/hostname'}, [1]);
      assert.match(outside, /Access denied/);
      const wrong = await as('call', name, 'read_text_file', '{"path":4}');
      assert.equal(wrong.code, 2);
      assert.match(wrong.err, /at \/path: expected/);
    }
    if (name === 'everything') assert.match(await labeled(as, name, 'echo', {message: 'a tent'}), /Echo: a tent/);
    if (name === 'memory') await labeled(as, name, 'read_graph', {});
  }));
}

test('nothing of a server is used before its review', () => withFolder(async (folder) => {
  const as = person(folder, {everything: {...program('@modelcontextprotocol/server-everything', 'stdio'), era: 'auto'}});
  const call = await as('call', 'everything', 'echo', '{"message":"a"}');
  assert.equal(call.code, 2);
  assert.match(call.err, /was never reviewed.*\n.*postern pins review --server-name everything/);
  const list = await as('servers');
  assert.match(list.out, /everything +stdio +auto +not reviewed/);
}));
