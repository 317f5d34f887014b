import {
  type Fault,
  nodeName,
  nodesIn,
  type PlayResult,
  type Schedule,
  type Subject,
  type When,
} from '../simulator/index.ts';

/** The lock that a schedule is for, and the lock that runs it. */
interface ScheduleMove {
  readonly from: ServerLayout;
  readonly to: ServerLayout;
}

type ServerLayout = Pick<Subject, 'nodes' | 'ensemble'>;

/**
 * Adapts the schedule of one lock to another: with the servers that the other lock needs, and every fault on one of these
 * servers, at the same step of its protocol. A fault on the last of five servers affects one of three.
 */
export function adaptSchedule(schedule: Schedule, move: ScheduleMove): Schedule {
  const faults = schedule.faults.map((fault) => adaptFault(fault, move));
  return { ...schedule, nodes: Math.max(1, move.to.nodes), faults };
}

/**
 * Adapts the faults without effect: each takes effect at the time at which it does on its own lock. It is for locks that
 * have no step like the one that a fault waits for. A fault on a message has no time but the message's.
 */
export function pinFaultTimes(
  schedule: Schedule,
  own: PlayResult,
  withoutEffect: readonly number[],
): Schedule {
  const faults = schedule.faults.map((fault, i) => {
    const injection = own.injections.find((each) => each.fault === i);
    if (!withoutEffect.includes(i) || injection === undefined || !('when' in fault)) return fault;
    return { ...fault, when: { atMs: injection.atMs - beginOf(own) } };
  });
  return { ...schedule, faults };
}

/** The start of a schedule's times, from the first request for the key. */
function beginOf({ history, schedule }: PlayResult): number {
  return (history[0]?.atMs ?? 0) - Math.min(...schedule.ops.map(({ atMs }) => atMs));
}

function adaptFault(fault: Fault, move: ScheduleMove): Fault {
  let fit: Fault = fault;
  if ('nodes' in fit) fit = { ...fit, nodes: adaptMask(fit.nodes, move) };
  if ('when' in fit) fit = { ...fit, when: adaptWhen(fit.when, move) };
  return fit;
}

/** A minority of servers stays a minority, of at least one. */
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
  // With five servers the fifth call corresponds to the first call with one.
  const share = callsOf(move.to) / callsOf(move.from);
  return share >= 1 ? when : { ...when, n: Math.ceil(when.n * share) };
}

function nodesNamed({ nodes }: ServerLayout): readonly string[] {
  return Array.from({ length: nodes }, (_, node) => nodeName(node));
}

/** The number of calls for each step of a protocol. */
function callsOf({ nodes, ensemble = false }: ServerLayout): number {
  return ensemble ? 1 : Math.max(1, nodes);
}

/** The indexes of the faults that never took effect. */
export function faultsWithoutEffect({ schedule, injections }: PlayResult): readonly number[] {
  return schedule.faults.flatMap((_, i) =>
    injections.some(({ fault }) => fault === i) ? [] : [i],
  );
}

/** The reason why a run without violations proves nothing, as a clause; undefined if all faults took effect. */
export function whyProvesNothing(played: PlayResult): string | undefined {
  const { faults } = played.schedule;
  const without = faultsWithoutEffect(played).length;
  if (without === 0) return undefined;
  return without === faults.length ? 'the fault takes no effect' : 'not all faults take effect';
}
