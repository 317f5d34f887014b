import { EXHIBITS, openExhibit } from '@holdfast/exhibits';
import type { Subject } from '@holdfast/sim';

/** What the commands of each are called in a schedule; the rest of what it sends is a point to aim at too. */
const WIRE: Readonly<Record<string, Pick<Subject, 'labels' | 'points'>>> = {
  'setnx-del': wire('SETNX', 'DEL'),
  'setnx-expire': wire('SETNX', 'DEL', ['PEXPIRE']),
  'set-nx-fixed': wire('SET', 'DEL'),
  'set-nx-same-id': wire('SET', 'release'),
  'set-nx-get-del': wire('SET', 'DEL', ['GET']),
  'set-nx-lua': wire('SET', 'release'),
};

/** Locks that are kept to be shown, as the simulator tries them. */
export const EXHIBIT_SUBJECTS: readonly Subject[] = EXHIBITS.map(({ name }) => ({
  name,
  nodes: 1,
  renews: false,
  tokens: false,
  ...WIRE[name],
  open: ({ node }, host) => openExhibit({ name, node }, host),
}));

function wire(
  acquire: string,
  release: string,
  between: readonly string[] = [],
): Pick<Subject, 'labels' | 'points'> {
  return {
    labels: { acquire: [acquire], renew: [], release: [release] },
    points: ['acquire', ...between, 'release'],
  };
}
