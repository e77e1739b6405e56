// The official suite against the desk itself. The desk offers tools and nothing of the suite's own fixtures, so desk.json names the checks that
// cannot succeed there, each with the reason.
// usage: desk.mjs [--print], with POSTERN_BIN
import fs from 'node:fs';
import {Desk} from '../peers/desk.mjs';
import {withFolder} from '../peers/programs.mjs';
import {openForwarder} from './forwarder.mjs';
import {report, runSuite} from './suite.mjs';

const bin = process.env.POSTERN_BIN;
const print = process.argv[2] === '--print';
const expected = JSON.parse(fs.readFileSync(new URL('desk.json', import.meta.url)));

process.exitCode = await withFolder(async (folder) => {
  const desk = await Desk.start(bin, folder);
  try {
    let bearer, until = 0;
    const forwarder = await openForwarder(desk.origin, async () => {
      if (Date.now() > until) [bearer, until] = [await desk.token(), Date.now() + 60_000];
      return bearer;
    });
    try {
      const found = await runSuite(`${forwarder.origin}/mcp`, ['--requirements', expected.requirements]);
      if (print) console.log(JSON.stringify(found, null, 1));
      return report(found, expected.scenarios);
    } finally {
      await forwarder.close();
    }
  } finally {
    await desk.close();
  }
});
