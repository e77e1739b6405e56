// The peers' places, and running one of them as a child process with a bound on its time.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const peers = process.env.POSTERN_PEERS;
export const inspectorScript = path.join(peers, 'insp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
export const suiteScript = path.join(peers, 'conf2/node_modules/@modelcontextprotocol/conformance/dist/index.js');
export const requireFrom = (peer) => createRequire(path.join(peers, peer, 'package.json'));

export const claudeProgram = () => {
  const folder = path.join(peers, 'cc/node_modules/@anthropic-ai');
  return path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith('claude-code-linux-')), 'claude');
};

// A folder that is gone when the body ends.
export async function withFolder(body) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-peers-'));
  try {
    return await body(folder);
  } finally {
    fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  }
}

// Runs a program to its end: {code, out, err}. After `seconds` it is ended, with code null.
export function run(program, args, {seconds = 60, env = process.env, cwd} = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {env, cwd, stdio: ['ignore', 'pipe', 'pipe']});
    let out = '', err = '';
    child.stdout.on('data', (piece) => { out += piece; });
    child.stderr.on('data', (piece) => { err += piece; });
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.on('error', reject);
    child.on('close', (code) => { clearTimeout(timer); resolve({code, out, err}); });
  });
}

export const runNode = (args, options) => run(process.execPath, args, options);
