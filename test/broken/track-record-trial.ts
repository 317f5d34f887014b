import type { MutantTrial } from './mutant.ts';

/** The settings of a trial's schedules beyond what its faults imply, as text; empty if there are none. */
export function scheduleWords({ among, modes, setup = {} }: MutantTrial): string {
  if (among !== undefined) return `, in schedules of its own, ${among.what}`;
  const words = modes === undefined ? setupWords(setup) : [`with ${modes}`, ...setupWords(setup)];
  return words.map((word) => `, ${word}`).join('');
}

const NAMED_ELSEWHERE: ReadonlySet<string> = new Set(['within', 'rolling']);

/** Throws for a setting that has no words here, since the page would hide it. */
function setupWords({
  nodes,
  fewer = false,
  points,
  variation,
  ttlTimes = 1,
  aftermath = false,
  lagging = false,
  givingUp = false,
  repointed = false,
  affected,
  ...unspoken
}: NonNullable<MutantTrial['setup']>): readonly string[] {
  for (const name of Object.keys(unspoken))
    throw new Error(`the track record has no words for the setup ${name}: add some`);
  if (variation !== undefined && !NAMED_ELSEWHERE.has(variation))
    throw new Error(`the track record has no words for the variation ${variation}: add some`);
  return [
    ...(nodes === undefined ? [] : [`on ${nodes} nodes`]),
    ...(affected === undefined ? [] : [affected === 'all' ? 'on all servers' : 'on a minority']),
    ...(fewer ? ['on a node less in one of four schedules'] : []),
    ...(points === undefined ? [] : [`injected at ${points.join(', ')} alone`]),
    ...(variation === 'within' ? ['within the margin'] : []),
    ...(ttlTimes === 1
      ? []
      : [`with leases, and the operations in them, ${ttlTimes} times as long`]),
    ...(aftermath ? ['with progress demanded after the faults'] : []),
    ...(lagging ? ['with followers that lag'] : []),
    ...(givingUp ? ['with clients that wait for a short time only'] : []),
    ...(repointed ? ['with addresses that lead to the server of another for a while'] : []),
    ...(variation === 'rolling'
      ? ['of a majority of the nodes, one after another, under one long lease']
      : []),
  ];
}
