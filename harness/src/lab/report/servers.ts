import type { LabReport } from '../evaluation/report.ts';
import { escaped, tag } from './html.ts';

/** How each server was started: what it was told says as much of an outage as what it is. */
export function serversPart({ settings: { servers = [] } }: LabReport): string {
  if (servers.length === 0) return '';
  const entries = servers.map(({ server, columns, command, config }) => {
    const names = `<b>${escaped(server)}</b> <span class="soft">${escaped(columns.join(', '))}</span>`;
    return `${tag('p', {}, names)}${tag('pre', {}, escaped([command, ...config].join('\n')))}`;
  });
  return [
    tag('h3', {}, '<b>How the servers were started</b>'),
    tag('p', {}, 'DIR and PORT stand for what differs from one to the next.'),
    ...entries,
  ].join('\n');
}
