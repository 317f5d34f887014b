import type { Command } from '../command.ts';

/** Runs a command while it holds a key. */
export const runCommand: Command = {
  name: 'run',
  operands: 'KEY -- COMMAND',
  summary: 'run a command while holding a key',
  load: async () => (await import('./run.ts')).RUN,
};
