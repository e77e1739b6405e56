// The official suite's scenarios of an authorization server, against the product's issuer with a person who is played at its pages: the suite
// prints an authorization URL, and somebody has to open it.
// usage: issuer.mjs [--print], with POSTERN_BIN
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {bind, send, serve} from '../peers/desk.mjs';
import {suiteScript, withFolder} from '../peers/programs.mjs';
import {readChecks, report} from './suite.mjs';

const expected = JSON.parse(fs.readFileSync(new URL('issuer.json', import.meta.url)));
const resource = 'http://127.0.0.1:9/mcp';

// Follows redirects as a browser does, until nobody redirects any more.
async function open(url) {
  for (let i = 0; i < 10; ++i) {
    const answer = await send('GET', url);
    if (!answer.headers.location) return answer.status;
    url = new URL(answer.headers.location, url);
  }
  throw new Error('too many redirects');
}

// Runs the suite to its end; `out` gets what it prints.
function runSuite(issuer, port, folder) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suiteScript, 'authorization', '--url', issuer, '--client-id', 'conformance', '--resource', resource,
                                           '-p', String(port), '--spec-version', expected.spec_version, '-o', folder],
                        {env: {...process.env, NO_COLOR: '1'}, stdio: ['ignore', 'pipe', 'pipe']});
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    let out = '', opened = false;
    const read = (piece) => {
      out += piece;
      const url = /^https?:\/\/\S*response_type=code\S*(?=\s)/m.exec(out);
      if (!url || opened) return;
      opened = true;
      open(url[0]).catch(reject);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('close', () => { clearTimeout(timer); resolve(out); });
  });
}

process.exitCode = await withFolder(async (folder) => {
  const [own, callback] = [await bind(), await bind()];
  const issuer = `http://127.0.0.1:${own.port}`;
  callback.release();
  const close = serve(path.join(process.env.POSTERN_BIN, 'postern-conformance-issuer'), 'issuer', own, {
    issuer, strangers: {registration: true, metadata_documents: true, scopes: ['desk:read'], resources: [resource]},
    played_client: 'conformance', played_person: 'rowan',
    clients: [{client_id: 'conformance', name: 'The conformance suite', application_type: 'native',
               redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'], scopes: ['desk:read'], resources: [resource]}],
  }, path.join(folder, 'issuer.log'));
  try {
    const out = await runSuite(issuer, callback.port, folder);
    const found = readChecks(folder);
    if (process.argv[2] === '--print') console.log(out, JSON.stringify(found, null, 1));
    return report(found, expected.scenarios);
  } finally {
    await close();
  }
});
