import type { HistoryEvent } from '@holdfast/core/backend';
import { drawSvg, type Scene } from '../../draw/index.ts';
import { FAULTS, NONE } from '../../simulator/index.ts';
import type { JudgedTrial } from '../evaluation/figures.ts';
import type { TrialJudgement } from './judge-trial.ts';
import type { TrialRecord } from './trial-record.ts';

/** The number of holds shown after the fault, beside the one during it. */
const HOLDS_AFTER = 3;

/** Draws the worst of these trials; undefined if no trial has a lease. */
export function timelineOf(trials: readonly JudgedTrial[], title: string): string | undefined {
  if (!trials.some(({ record }) => record.history.some(({ type }) => type === 'granted')))
    return undefined;
  const worst = trials.toSorted((a, b) => weight(b.judged) - weight(a.judged))[0];
  return worst === undefined ? undefined : drawSvg(sceneOf(worst, title), { id: idOf(title) });
}

function weight({ validity, belief, unfenced }: TrialJudgement): number {
  if (validity.kind === 'violated') return 3;
  if (belief.kind === 'violated') return 2;
  return unfenced.lost > 0 ? 1 : 0;
}

function idOf(title: string): string {
  return title.replaceAll(/[^a-z0-9]+/gi, '-');
}

function sceneOf({ record, judged }: JudgedTrial, title: string): Scene {
  const history = excerpt(record);
  const clients = [...new Set(history.map(({ client }) => client))].toSorted();
  const resources = [...new Set(history.flatMap(resourceOf))];
  const faults = faultsOf(record);
  const servers = faults.some(({ actors }) => actors.includes(SERVERS)) ? [SERVERS] : [];
  return {
    title: `${title}, on real servers`,
    property:
      judged.belief.kind === 'violated' && judged.validity.kind === 'ok' ? 'belief' : 'validity',
    verdicts: [judged.validity, judged.belief],
    history,
    actors: [
      ...clients.map((id) => ({ id, kind: 'client' as const, clock: [] })),
      ...servers.map((id) => ({ id, kind: 'node' as const, clock: [] })),
      ...resources.map((id) => ({ id, kind: 'resource' as const, clock: [] })),
    ],
    messages: [],
    faults,
    serverState: [],
  };
}

function resourceOf(event: HistoryEvent): readonly string[] {
  return event.type === 'write' ? [event.resource] : [];
}

/** The lane that shows a fault that hits no client. */
const SERVERS = 'servers';

function faultsOf({ fault, description, faulted, recoveredMs }: TrialRecord): Scene['faults'] {
  if (fault === NONE) return [];
  const actors = faulted.length === 0 ? [SERVERS] : faulted;
  const { reason } = FAULTS.get(fault);
  return [{ kind: fault, actors, atMs: 0, untilMs: recoveredMs, text: description, reason }];
}

/** The hold during which the fault was injected, and the next few. */
function excerpt({ history, victim }: TrialRecord): readonly HistoryEvent[] {
  const granted = history.filter(({ type }) => type === 'granted');
  const own = granted.findLast(({ client, atMs }) => client === victim && atMs <= 0);
  const next = granted.filter(({ atMs }) => atMs > 0).slice(0, HOLDS_AFTER);
  const shown = new Set(
    [own, ...next].flatMap((event) => (event && 'hold' in event ? [event.hold] : [])),
  );
  return history.filter((event) => !('hold' in event) || shown.has(event.hold));
}
