import type { Command } from './command.ts';
import { HARNESS } from './harness.ts';

const WIDTH = 31;

/** What `holdfast --help` prints: the commands, and where the others are to be had. */
export function commandList(own: readonly Command[], more: readonly Command[] | undefined): string {
  const lines = [...(more ?? []), ...own].map(lineOf).join('\n');
  const missing = `compare, find, sale and more, which judge locks and show how they break: npm i -D ${HARNESS}`;
  return `holdfast: distributed locks that say what they know

${lines}
${more === undefined ? `\n${missing}\n` : ''}
${row('holdfast COMMAND --help', 'options of a command')}
  holdfast --version

inspect and force-release ask the server that HOLDFAST_URL or HOLDFAST_CONFIG names.`;
}

function lineOf({ name, operands, summary }: Command): string {
  return row(`holdfast ${name}${operands === undefined ? '' : ` ${operands}`}`, summary);
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(WIDTH)}${right}`;
}
