/** What tests of other packages use beyond the public entries. */

export { parseArguments } from '../src/cli/arguments.ts';
export { safeIo } from '../src/cli/io.ts';
export { main } from '../src/cli/main.ts';
export { endAll, isAlive, RunProcess } from './servers/support/run-process.ts';
