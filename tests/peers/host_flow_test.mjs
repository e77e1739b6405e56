// Our host on a desk and an authorization server whose libraries nobody here wrote (the TypeScript SDK, oidc-provider): sign-in in a browser, reviewed
// pins, step-up, approval by a link, refund; and a person who may not refund. The model is the lab's double, over HTTP; the browser is played here.
// usage: node --test, with POSTERN_BIN and POSTERN_PEERS
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {bind, send} from './desk.mjs';
import {browse, freePort, startScript} from './stranger.mjs';

const bin = process.env.POSTERN_BIN;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-host-flow-'));
const closers = [];

// The double plays one conversation, so each run has its own.
async function startModel() {
  const socket = await bind();
  const double = spawn(path.join(bin, 'postern-lab'), ['model', 'serve', '--config', '-'], {
    env: {...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'model'}, stdio: ['pipe', 'ignore', 'inherit', socket.descriptor],
  });
  socket.release();
  double.stdin.write(JSON.stringify({script: 'whole-order'}) + '\n');
  closers.push(() => double.kill());
  return `http://127.0.0.1:${socket.port}`;
}

let issuer, desk;
before(async () => {
  const [issuerPort, deskPort] = [await freePort(), await freePort()];
  desk = `http://127.0.0.1:${deskPort}/mcp`;
  const stranger = await startScript('stranger_issuer.mjs', issuerPort, desk, 'http://127.0.0.1/callback');
  issuer = stranger.line;
  const strangersDesk = await startScript('stranger_desk.mjs', deskPort, issuer);
  closers.push(stranger.close, strangersDesk.close);
});
after(() => {
  for (const close of closers) close();
  fs.rmSync(home, {recursive: true, force: true});
});

// Runs postern as that person: whatever link it shows is visited, an approval's by its supervisor when there is one.
async function postern(person, args, {supervisor} = {}) {
  const model = await startModel();
  const state = path.join(home, person);
  const env = {PATH: process.env.PATH, HOME: state, XDG_STATE_HOME: state, XDG_CONFIG_HOME: path.join(home, 'config'), LANG: 'C.UTF-8',
               ANTHROPIC_API_KEY: 'sk-ant-none', ANTHROPIC_BASE_URL: model};
  const child = spawn(path.join(bin, 'postern'), [...args, '--profile', 'stranger'], {env, stdio: ['ignore', 'pipe', 'pipe']});
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let out = '', err = '', visited = 0;
  const visits = [];
  child.stdout.on('data', (piece) => { out += piece; });
  child.stderr.on('data', (piece) => {
    err += piece;
    const links = err.slice(0, err.lastIndexOf('\n') + 1).match(/^\s*http:\/\/127\.0\.0\.1:\d+\/(?:auth\?|approve\/)\S+$/gm) ?? [];
    for (const link of links.slice(visited)) {
      ++visited;
      if (link.includes('/approve/')) visits.push(supervisor && send('POST', link.trim()));
      else visits.push(browse(link.trim(), person));
    }
  });
  return new Promise((resolve) => child.on('close', async (code) => {
    clearTimeout(timer);
    await Promise.all(visits);
    resolve({code, out, err});
  }));
}

const pins = path.join(home, 'pins.json');
test('the definitions of the desk are reviewed, after a sign-in in the browser', async () => {
  fs.mkdirSync(path.join(home, 'config/postern'), {recursive: true});
  const configure = (more) => fs.writeFileSync(path.join(home, 'config/postern/config.json'), JSON.stringify(
      {open: 'never', profiles: {stranger: {server: desk, issuer, client_id: 'postern-host', ...more}}}));
  configure({});
  const reviewed = await postern('rowan', ['pins', 'review', '-o', pins]);
  assert.equal(reviewed.code, 0, reviewed.err);
  assert.deepEqual(JSON.parse(fs.readFileSync(pins, 'utf8')).tools.map((tool) => tool.name).sort(), ['get_order', 'issue_refund', 'open_case']);
  configure({pins});
});

test('Rowan refunds: step-up, approval by the link, and the desk\'s own word for it', async () => {
  const run = await postern('rowan', ['run', 'T-1042'], {supervisor: true});
  assert.equal(run.code, 0, run.err + run.out);
  assert.match(run.err, /step-up/);
  assert.match(run.out, /^final: Refunded 12900 cents \(approval APR-[0-9a-f]{8}\)\.$/m);
  assert.match(run.out, /^desk: .*Refunded 12900 cents \(approval APR-[0-9a-f]{8}\)/m);
});

test('Morgan may not refund: the step-up is refused, and nothing was', async () => {
  const run = await postern('morgan', ['run', 'T-1042'], {supervisor: true});
  assert.equal(run.code, 4, run.err + run.out);
  assert.match(run.err + run.out, /may not hold refunds:write/);
  assert.doesNotMatch(run.out, /Refunded/);
});

test('nobody signs in: nothing is sent to the model, and the command to sign in is named', async () => {
  const run = await postern('quinn', ['run', 'T-1042', '--no-input'], {});
  assert.equal(run.code, 4, run.err + run.out);
  assert.match(run.err, /postern login/);
});
