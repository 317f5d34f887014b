import type { AnchorMoment } from '../anchors.ts';
import type { Run } from './run.ts';
import type { When } from './schedule.ts';

/** Anything whose calls can be counted: a process that makes them, or a server that executes them. */
export interface Anchored {
  anchor(moment: AnchorMoment, label: string, n: number, run: () => void): void;
}

/** Calls `inject` when the schedule says; `by` is the actor whose call it is anchored to, if it is. */
export function atMoment(run: Run, when: When, inject: (by?: string) => void): void {
  const injectUnlessOver = (by?: string): void => {
    if (!run.areFaultsOver) inject(by);
  };
  if ('atMs' in when) {
    run.atScheduleTime(when.atMs, () => injectUnlessOver());
    return;
  }
  const [moment, label]: [AnchorMoment, string] =
    'before' in when ? ['before', when.before] : ['after', when.after];
  const actor = run.clients.get(when.by)?.process ?? run.server(when.by);
  if (actor !== undefined)
    anchorAny(actor, moment, run.labelsOf(label), when.n, () => injectUnlessOver(when.by));
}

/** Runs `run` at the `n`-th call with any of the labels. */
function anchorAny(
  actor: Anchored,
  moment: AnchorMoment,
  labels: readonly string[],
  n: number,
  run: () => void,
): void {
  let left = n;
  for (const label of labels) {
    const count = (): void => {
      left--;
      if (left === 0) run();
      else if (left > 0) actor.anchor(moment, label, 1, count);
    };
    actor.anchor(moment, label, labels.length === 1 ? n : 1, labels.length === 1 ? run : count);
  }
}
