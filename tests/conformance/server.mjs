// The official suite against the product's MCP core with the suite's fixtures, in a program of its own (server/main.cc). Every scenario of the
// revision passes, and those of the skills extension.
// usage: server.mjs [--print] [SERVER OPTION...], with POSTERN_BIN
import fs from 'node:fs';
import {startConformanceServer} from '../peers/fixture_server.mjs';
import {report, runSuite} from './suite.mjs';

const options = process.argv.slice(2).filter((option) => option !== '--print');
const print = process.argv.includes('--print');
const expected = JSON.parse(fs.readFileSync(new URL('expected.json', import.meta.url)));

const server = await startConformanceServer(...options);
try {
  const found = await runSuite(server.url, ['--requirements', expected.requirements]);
  const skills = {};
  for (const name of Object.keys(expected.skills)) {
    Object.assign(skills, await runSuite(server.url, ['--scenario', name, '--spec-version', expected.requirements, '--force']));
  }
  if (print) console.log(JSON.stringify({...found, ...skills}, null, 1));
  process.exitCode = report(skills, expected.skills) + report(found, expected.scenarios) ? 1 : 0;
} finally {
  await server.close();
}
