// The twelve attacks on desks whose library nobody here wrote, with an issuer that nobody here wrote, from outside: each verdict is the one that is
// written down in attack_verdicts.json. One desk is of this folder; the other stands beside the project, and is left out where it is not there.
// usage: node --test, with POSTERN_BIN and POSTERN_PEERS
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {send} from './desk.mjs';
import {peers, run, withFolder} from './programs.mjs';
import {freePort, startScript} from './stranger.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
const lab = path.join(process.env.POSTERN_BIN, 'postern-lab');
const expected = JSON.parse(fs.readFileSync(path.join(here, 'attack_verdicts.json'), 'utf8'));
const profileOf = (issuer, other) => ({...JSON.parse(fs.readFileSync(path.join(here, 'attack_profile.json'), 'utf8')), issuer, other_resource: other});

// {A1: 'pass', …}, the last line, and the exit code.
async function attack(folder, server, issuer, other) {
  const profile = path.join(folder, 'profile.json'), report = path.join(folder, 'report.json');
  fs.writeFileSync(profile, JSON.stringify(profileOf(issuer, other)));
  const {code, out, err} = await run(lab, ['attack', 'all', '--server', server, '--profile', profile, '--report-json', report], {seconds: 120});
  assert.ok(fs.existsSync(report), out + err);
  const {checks} = JSON.parse(fs.readFileSync(report, 'utf8'));
  return {code, verdicts: Object.fromEntries(checks.map(({id, verdict}) => [id, verdict])), summary: out.trim().split('\n').at(-1), out};
}

function judge(name, {code, verdicts, summary, out}) {
  assert.deepEqual({code, summary, verdicts}, expected[name], out);
}

test('a desk on the TypeScript SDK', () => withFolder(async (folder) => {
  const [issuerPort, deskPort, otherPort] = [await freePort(), await freePort(), await freePort()];
  const [desk, other] = [deskPort, otherPort].map((port) => `http://127.0.0.1:${port}/mcp`);
  const issuer = await startScript('stranger_issuer.mjs', issuerPort, `${desk},${other}`, 'http://127.0.0.1/callback');
  const stranger = await startScript('stranger_desk.mjs', deskPort, issuer.line);
  try {
    judge('stranger_desk', await attack(folder, desk, issuer.line, other));
  } finally {
    stranger.close();
    issuer.close();
  }
}));

// Runs a script that stands beside the project with the libraries that are installed for it.
async function startShared(folder, script, library, env, url) {
  const place = path.join(folder, library);
  fs.mkdirSync(place);
  fs.symlinkSync(path.join(peers, library, 'node_modules'), path.join(place, 'node_modules'));
  fs.copyFileSync(script, path.join(place, 'server.mjs'));
  const child = spawn(process.execPath, [path.join(place, 'server.mjs')], {env: {...process.env, ...env}, stdio: ['ignore', 'ignore', 'inherit']});
  for (let tries = 0; tries < 200; ++tries) {
    try {
      await send('GET', new URL(url));
      return child;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  child.kill();
  throw new Error(`${script} gave no answer`);
}

test('the desk that stands beside the project', (context) => withFolder(async (folder) => {
  const shared = path.join(here, '../../../shared/peers');
  if (!fs.existsSync(path.join(shared, 'ts-desk-peer.mjs'))) return context.skip('needs ../shared/peers, which is not there');
  const [issuerPort, deskPort, otherPort] = [await freePort(), await freePort(), await freePort()];
  const [desk, other] = [deskPort, otherPort].map((port) => `http://127.0.0.1:${port}/mcp`);
  const issuer = `http://127.0.0.1:${issuerPort}`;
  const authority = await startShared(folder, path.join(shared, 'oidc-as.mjs'), 'oidc', {PORT: issuerPort, RESOURCE: `${desk},${other}`},
                                      `${issuer}/.well-known/oauth-authorization-server`);
  try {
    const peer = await startShared(folder, path.join(shared, 'ts-desk-peer.mjs'), 'sdkdesk', {PORT: deskPort, ISSUER: issuer}, desk);
    try {
      judge('ts-desk-peer', await attack(folder, desk, issuer, other));
    } finally {
      peer.kill();
    }
  } finally {
    authority.kill();
  }
}));
