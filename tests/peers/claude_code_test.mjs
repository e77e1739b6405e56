// Claude Code connects to the desk, over stdio and over HTTP: `mcp add`, `mcp list`, with no login and nothing that leaves this machine.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import {Desk} from './desk.mjs';
import {claudeProgram, run} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-claude-code-'));
let desk;
before(async () => { desk = await Desk.start(bin, home); });
after(async () => {
  await desk?.close();
  fs.rmSync(home, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
});

// A project and a HOME of its own, so that no setting of whoever runs this plays a part.
async function claude(...args) {
  const project = path.join(home, 'project');
  fs.mkdirSync(project, {recursive: true});
  const env = {
    PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: path.join(home, '.claude'), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
  };
  const ran = await run(claudeProgram(), args, {env, cwd: project, seconds: 90});
  assert.equal(ran.code, 0, ran.out + ran.err);
  return ran.out;
}

test('stdio: it says Connected', async () => {
  await claude('mcp', 'add', '--scope', 'local', 'desk-stdio', '--', path.join(bin, 'postern-desk'), 'stdio', '--as', 'rowan', '--ticket', 'T-1042');
  assert.match(await claude('mcp', 'list'), /^desk-stdio:.*Connected/m);
});

test('HTTP: it says Connected', async () => {
  await claude('mcp', 'add', '--scope', 'local', '--transport', 'http', 'desk-http', desk.url, '--header', `Authorization: Bearer ${await desk.token()}`);
  assert.match(await claude('mcp', 'list'), /^desk-http:.*Connected/m);
});
