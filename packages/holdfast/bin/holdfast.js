#!/usr/bin/env node
// Checked in so that installing a clone can link the command before anything is built.
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.js', import.meta.url);
if (existsSync(cli)) {
  await import(cli.href);
} else {
  console.error('holdfast is not built yet: run `npm start` in the clone, it builds and runs it.');
  process.exitCode = 2;
}
