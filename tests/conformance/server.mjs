// The official suite against the product's MCP core with the suite's fixtures, in a program of its own (server/main.cc). Every scenario of the
// revision passes, and those of the skills extension.
// usage: server.mjs [--print], with POSTERN_BIN
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import {report, runSuite} from './suite.mjs';

const print = process.argv[2] === '--print';
const expected = JSON.parse(fs.readFileSync(new URL('expected.json', import.meta.url)));

const server = spawn(path.join(process.env.POSTERN_BIN, 'postern-conformance-server'), ['--port', '0', '--until-eof'], {stdio: ['pipe', 'pipe', 'inherit']});
const ended = new Promise((resolve) => server.on('close', resolve).on('error', resolve));
const firstLine = new Promise((resolve) => readline.createInterface({input: server.stdout}).once('line', resolve));
const url = await Promise.race([firstLine, ended.then(() => { throw new Error('the server did not start'); })]);
try {
  const found = await runSuite(url, ['--requirements', expected.requirements]);
  for (const name of Object.keys(expected.skills)) {
    Object.assign(found, await runSuite(url, ['--scenario', name, '--spec-version', expected.requirements, '--force']));
  }
  if (print) console.log(JSON.stringify(found, null, 1));
  process.exitCode = report(found, {...expected.scenarios, ...expected.skills});
} finally {
  server.stdin.end();
  await ended;
}
