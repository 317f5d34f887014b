import {
  type Fault,
  nodeName,
  nodesIn,
  type PlayResult,
  type Schedule,
  type Subject,
  type When,
} from '../simulator/index.ts';

/** Whose schedule it is, and on whom it is to be played. */
interface ScheduleMove {
  readonly from: ServerLayout;
  readonly to: ServerLayout;
}

type ServerLayout = Pick<Subject, 'nodes' | 'ensemble'>;

/**
 * The schedule of one lock, for another: as many servers as that one needs, and every fault on servers that it has, at
 * the step of its own protocol that is the same. What named the last of five strikes one of three.
 */
export function adaptSchedule(schedule: Schedule, move: ScheduleMove): Schedule {
  const faults = schedule.faults.map((fault) => adaptFault(fault, move));
  return { ...schedule, nodes: Math.max(1, move.to.nodes), faults };
}

/**
 * The same where faults that never struck strike at the time at which they do on the lock that they were found on:
 * for a lock that takes no such step as they wait for. What strikes a message has no other time than the message's.
 */
export function pinFaultTimes(
  schedule: Schedule,
  own: PlayResult,
  unstruck: readonly number[],
): Schedule {
  const faults = schedule.faults.map((fault, i) => {
    const injection = own.injections.find((each) => each.fault === i);
    if (!unstruck.includes(i) || injection === undefined || !('when' in fault)) return fault;
    return { ...fault, when: { atMs: injection.atMs - beginOf(own) } };
  });
  return { ...schedule, faults };
}

/** When the times of a schedule begin: the first to ask for the key has done so by its own. */
function beginOf({ history, schedule }: PlayResult): number {
  return (history[0]?.atMs ?? 0) - Math.min(...schedule.ops.map(({ atMs }) => atMs));
}

function adaptFault(fault: Fault, move: ScheduleMove): Fault {
  let fit: Fault = fault;
  if ('nodes' in fit) fit = { ...fit, nodes: adaptMask(fit.nodes, move) };
  if ('when' in fit) fit = { ...fit, when: adaptWhen(fit.when, move) };
  return fit;
}

/** Fewer than half of the servers are fewer than half of those, too, but at least one. */
function adaptMask(mask: number, { from, to }: ScheduleMove): number {
  const nodes = [...new Set(nodesIn(mask).map((node) => node % Math.max(1, to.nodes)))];
  const isMinority = 2 * nodesIn(mask).length < from.nodes;
  const most = isMinority ? Math.max(1, Math.ceil(to.nodes / 2) - 1) : nodes.length;
  return nodes.slice(0, most).reduce((sum, node) => sum + (1 << node), 0);
}

function adaptWhen(when: When, move: ScheduleMove): When {
  if ('atMs' in when) return when;
  const node = nodesNamed(move.from).indexOf(when.by);
  if (node >= 0) return { ...when, by: nodeName(node % Math.max(1, move.to.nodes)) };
  // Who asks five servers makes the fifth call where another makes its first.
  const share = callsOf(move.to) / callsOf(move.from);
  return share >= 1 ? when : { ...when, n: Math.ceil(when.n * share) };
}

function nodesNamed({ nodes }: ServerLayout): readonly string[] {
  return Array.from({ length: nodes }, (_, node) => nodeName(node));
}

/** How many servers it asks for each step. */
function callsOf({ nodes, ensemble = false }: ServerLayout): number {
  return ensemble ? 1 : Math.max(1, nodes);
}

/** Places in the list of faults of those that never took effect. */
export function faultsWithoutEffect({ schedule, injections }: PlayResult): readonly number[] {
  return schedule.faults.flatMap((_, i) =>
    injections.some(({ fault }) => fault === i) ? [] : [i],
  );
}

/** Why a run in which nothing goes wrong proves nothing, as a clause; undefined where its faults were a trial. */
export function whyProvesNothing(played: PlayResult): string | undefined {
  const { faults } = played.schedule;
  const unstruck = faultsWithoutEffect(played).length;
  if (unstruck === 0) return undefined;
  return unstruck === faults.length
    ? 'the fault does not strike here'
    : 'not all of the faults strike here';
}
