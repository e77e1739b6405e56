// The conformance server over HTTP, as a child that ends when its stdin does.
import {spawn} from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';

export const conformanceServer = path.join(process.env.POSTERN_BIN, 'postern-conformance-server');

// Gives {url, close}. "--modern" starts the build that has no part for older clients.
export async function startConformanceServer(...all) {
  const options = all.filter((option) => option !== '--modern');
  const program = options.length === all.length ? conformanceServer : `${conformanceServer}-modern`;
  const child = spawn(program, ['--port', '0', '--until-eof', ...options], {stdio: ['pipe', 'pipe', 'inherit']});
  const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  const firstLine = new Promise((resolve) => readline.createInterface({input: child.stdout}).once('line', resolve));
  const url = await Promise.race([firstLine, ended.then(() => { throw new Error('the server did not start'); })]);
  const close = async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 8000);
    await ended;
    clearTimeout(timer);
  };
  return {url, close};
}
