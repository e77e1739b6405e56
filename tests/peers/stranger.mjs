// The authorization server that nobody here wrote, started, and the browser of a person who signs in there.
import {spawn} from 'node:child_process';
import path from 'node:path';
import {bind, send} from './desk.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);

export async function freePort() {
  const socket = await bind();
  socket.release();
  return socket.port;
}

// Starts a script of this folder and waits for its first line on stdout: {line, close}.
export function startScript(name, ...args) {
  const child = spawn(process.execPath, [path.join(here, name), ...args.map(String)], {stdio: ['ignore', 'pipe', 'inherit']});
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve({line: String(line).trim(), close: () => child.kill()}));
    child.on('error', reject).on('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
}

// Keeps cookies and follows redirects. Gives the redirect that begins with `until`, unfetched; without it, the last answer.
export async function browse(link, person, until) {
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
    if (until && url.href.startsWith(until)) return url;
  }
  throw new Error('the sign-in goes round in circles');
}
