// The client side of the official suite: the product's bridge, in a program of its own (client/main.cc), meets the suite's servers and authorization
// servers. Every scenario of the revision passes, its extensions included.
// usage: client.mjs [--print] [--scenario NAME], with POSTERN_BIN
import fs from 'node:fs';
import path from 'node:path';
import {report, runClientSuite} from './suite.mjs';

const expected = JSON.parse(fs.readFileSync(new URL('expected_client.json', import.meta.url)));
const program = path.join(process.env.POSTERN_BIN, 'postern-conformance-client');
const only = process.argv.includes('--scenario') ? process.argv[process.argv.indexOf('--scenario') + 1] : undefined;

const revision = expected.requirements;
const options = only ? ['--scenario', only, '--spec-version', revision, '--force'] : ['--requirements', revision];
const found = await runClientSuite(program, options);
if (process.argv.includes('--print')) console.log(JSON.stringify(found, null, 1));
// A folder of the suite's results is named by the last part of its scenario.
const name = only?.split('/').pop();
const wanted = Object.entries(expected.scenarios).filter(([scenario]) => !only || scenario === name || scenario === only);
process.exitCode = report(found, Object.fromEntries(wanted));
