// The peer over stdio.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeFactory } from './factory.mjs';
import { openStore } from './store.mjs';

serveStdio(makeFactory(openStore(':memory:'), 'rowan'));
