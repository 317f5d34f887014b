import type { Command } from './command.ts';

/**
 * Commands for operators of locks. Their code is loaded when they are called. All other commands come with the harness.
 */
export const OWN: readonly Command[] = [
  {
    name: 'run',
    operands: 'KEY -- COMMAND',
    summary: 'run a command while holding a key',
    load: async () => (await import('./run/run.ts')).RUN,
  },
  {
    name: 'watch',
    operands: '[KEY|PREFIX]',
    summary: 'show who holds what, and what changes',
    load: async () => (await import('./operator/watch.ts')).WATCH,
  },
  {
    name: 'locks',
    operands: '[PREFIX]',
    summary: 'list the keys that are held',
    load: async () => (await import('./operator/locks.ts')).LOCKS,
  },
  {
    name: 'inspect',
    operands: 'KEY',
    summary: 'show who holds a key, and for how long',
    load: async () => (await import('./operator/inspect.ts')).INSPECT,
  },
  {
    name: 'release',
    operands: 'KEY',
    summary: 'take a key away from its holder',
    load: async () => (await import('./operator/release.ts')).RELEASE,
  },
  {
    name: 'health',
    summary: 'ask every server whether it serves, for probes',
    load: async () => (await import('./operator/health.ts')).HEALTH,
  },
  {
    name: 'move',
    operands: 'flip|watch',
    summary: 'swap the store under live traffic',
    load: async () => (await import('./move-command.ts')).MOVE,
  },
  {
    name: 'schema',
    operands: 'BACKEND',
    summary: 'print the SQL of the tables that a backend needs',
    load: async () => (await import('./schema-command.ts')).SCHEMA,
  },
];
