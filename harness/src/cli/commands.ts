import type { Command } from 'holdfast/internal';
import { compareCommand } from './compare-command.ts';
import { findCommand } from './find-command.ts';
import { gapCommand } from './gap-command.ts';
import { mergeCommand } from './merge-command.ts';
import { replayCommand } from './replay-command.ts';
import { saleCommand } from './sale-command.ts';

/** The commands of this package, in the order of the help of `holdfast`. To add one: its file, and its line here. */
export const COMMANDS: readonly Command[] = [
  compareCommand,
  findCommand,
  gapCommand,
  replayCommand,
  saleCommand,
  mergeCommand,
];
