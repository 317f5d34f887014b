import type { Command } from 'holdfast/internal';

/** The commands of this package, in the order of the help of `holdfast`. To add one: its file, and its entry here. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'compare',
    summary: 'show what each lock loses under which fault, and what it costs',
    load: async () => (await import('./compare-command.ts')).compareCommand,
  },
  {
    name: 'find',
    operands: 'LOCK',
    summary: 'search for a schedule of faults that breaks a lock',
    load: async () => (await import('./find-command.ts')).findCommand,
  },
  {
    name: 'margin',
    summary: 'measure how much time each lock leaves between two holders',
    load: async () => (await import('./margin-command.ts')).marginCommand,
  },
  {
    name: 'replay',
    operands: 'STORY',
    summary: 'replay a story that find wrote, and draw it',
    load: async () => (await import('./replay-command.ts')).replayCommand,
  },
  {
    name: 'sale',
    summary: 'run a flash sale under every lock recipe and see why each one fails',
    load: async () => (await import('./sale-command.ts')).saleCommand,
  },
  {
    name: 'merge',
    operands: 'FILE...',
    summary: 'merge the shards of a search into one report',
    load: async () => (await import('./merge-command.ts')).mergeCommand,
  },
];
