// The client side of the official suite: the product's bridge, in a program of its own (client/main.cc), meets the suite's servers and authorization
// servers. Every scenario of the revision passes, its extensions included.
// usage: client.mjs [--print], with POSTERN_BIN
import fs from 'node:fs';
import path from 'node:path';
import {report, runClientSuite} from './suite.mjs';

const expected = JSON.parse(fs.readFileSync(new URL('expected_client.json', import.meta.url)));
const program = path.join(process.env.POSTERN_BIN, 'postern-conformance-client');

const found = await runClientSuite(program, ['--requirements', expected.requirements]);
if (process.argv.includes('--print')) console.log(JSON.stringify(found, null, 1));
process.exitCode = report(found, expected.scenarios);
