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

const bin = process.env.POSTERN_BIN;
const here = path.dirname(new URL(import.meta.url).pathname);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-host-flow-'));
const children = [];

// Starts a program and waits for its first line on stdout.
function start(program, args, options = {}) {
  const child = spawn(program, args, {stdio: ['pipe', 'pipe', 'inherit'], ...options});
  children.push(child);
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()));
    child.on('error', reject).on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
}

async function freePort() {
  const socket = await bind();
  socket.release();
  return socket.port;
}

// The double plays one conversation, so each run has its own.
async function startModel() {
  const socket = await bind();
  const double = spawn(path.join(bin, 'postern-lab'), ['model', 'serve', '--config', '-'], {
    env: {...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'model'}, stdio: ['pipe', 'ignore', 'inherit', socket.descriptor],
  });
  socket.release();
  double.stdin.write(JSON.stringify({script: 'whole-order'}) + '\n');
  children.push(double);
  return `http://127.0.0.1:${socket.port}`;
}

let issuer, desk;
before(async () => {
  const [issuerPort, deskPort] = [await freePort(), await freePort()];
  desk = `http://127.0.0.1:${deskPort}/mcp`;
  issuer = await start(process.execPath, [path.join(here, 'stranger_issuer.mjs'), issuerPort, desk, 'http://127.0.0.1/callback']);
  await start(process.execPath, [path.join(here, 'stranger_desk.mjs'), deskPort, issuer]);
});
after(() => {
  for (const child of children) child.kill();
  fs.rmSync(home, {recursive: true, force: true});
});

// A person's browser: keeps cookies, follows redirects, and ends at the host's own port.
async function browse(link, person) {
  const cookies = new Map();
  let url = new URL(link);
  url.searchParams.set('login_hint', person);
  for (let hops = 0; hops < 15; ++hops) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await send('GET', url, {headers: cookie ? {Cookie: cookie} : {}});
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    if (!reply.headers.location) return reply;
    url = new URL(reply.headers.location, url);
  }
  throw new Error('the sign-in goes round in circles');
}

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
