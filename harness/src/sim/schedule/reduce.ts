import { clientIdsIn, clientsOf, type Fault, nodesIn, type Op, type Schedule } from './schedule.ts';

/** A schedule with one element less, and the number of attempts with the rest re-timed. */
export interface Reduction {
  readonly schedule: Schedule;
  readonly retimings: number;
}

/** After an element was removed, the rest often fails only when it moves closer together. */
const RETIMINGS = 150;
/** The affected nodes hardly depend on the timing. */
const RETIMINGS_OF_NODES = 20;

/** Returns the schedules with one operation, fault, client or node of a mask less. */
export function reductions(schedule: Schedule): readonly Reduction[] {
  const less = [
    ...withoutAftermath(schedule),
    ...withoutNewcomers(schedule),
    ...withoutAttempts(schedule),
    ...withoutMoment(schedule),
    ...withoutRepointing(schedule),
    ...withoutImpatience(schedule),
    ...withoutFault(schedule),
    ...withoutOp(schedule),
    ...withoutClient(schedule),
  ];
  const all = [
    ...less.map((each) => ({ schedule: each, retimings: RETIMINGS })),
    ...withoutNode(schedule).map((each) => ({ schedule: each, retimings: RETIMINGS_OF_NODES })),
  ];
  return all.filter((each) => isStory(each.schedule, schedule));
}

/** Without the aftermath, or with less of it. */
function withoutAftermath(schedule: Schedule): readonly Schedule[] {
  const { aftermath, ...rest } = schedule;
  if (aftermath === undefined) return [];
  const { holdMs, ...usual } = aftermath;
  const held = holdMs === undefined ? [] : [usual];
  const nodes = nodesIn(aftermath.nodes).map((node) => ({
    ...aftermath,
    nodes: aftermath.nodes - (1 << node),
  }));
  const still = aftermath.still === '' ? [] : [{ ...aftermath, still: '' }];
  return [rest, ...[...held, ...nodes, ...still].map((less) => ({ ...schedule, aftermath: less }))];
}

/** With all clients there from the start. */
function withoutNewcomers({ newcomers, ...rest }: Schedule): readonly Schedule[] {
  return newcomers === undefined ? [] : [rest];
}

/** With the first attempts as the ones that count. */
function withoutAttempts({ attempts, ...rest }: Schedule): readonly Schedule[] {
  return attempts === undefined ? [] : [rest];
}

/** With one closing or collection less. */
function withoutMoment(schedule: Schedule): readonly Schedule[] {
  return (['closings', 'collections'] as const).flatMap((name) => {
    const { [name]: all = [], ...rest } = schedule;
    return all.map((moment) => {
      const others = all.filter((each) => each !== moment);
      return others.length === 0 ? rest : { ...schedule, [name]: others };
    });
  });
}

/** With fewer addresses that lead elsewhere. */
function withoutRepointing(schedule: Schedule): readonly Schedule[] {
  const { repointings: all = [], ...rest } = schedule;
  return all.flatMap((each, i) => {
    const others = all.toSpliced(i, 1);
    const nodes = nodesIn(each.nodes);
    const fewer = nodes.length === 1 ? [] : nodes.map((node) => each.nodes - (1 << node));
    return [
      others.length === 0 ? rest : { ...schedule, repointings: others },
      ...fewer.map((less) => ({
        ...schedule,
        repointings: all.with(i, { ...each, nodes: less }),
      })),
    ];
  });
}

/** With one operation that waits for as long as it takes. */
function withoutImpatience(schedule: Schedule): readonly Schedule[] {
  return schedule.ops.flatMap(({ waitMs, ...patient }, at) =>
    waitMs === undefined
      ? []
      : [{ ...schedule, ops: schedule.ops.map((op, i) => (i === at ? patient : op)) }],
  );
}

function withoutFault(schedule: Schedule): readonly Schedule[] {
  const { faults } = schedule;
  return faults.map((fault) => ({ ...schedule, faults: faults.filter((each) => each !== fault) }));
}

function withoutOp(schedule: Schedule): readonly Schedule[] {
  return schedule.ops.map((op) =>
    withOps(
      schedule,
      schedule.ops.filter((each) => each !== op),
    ),
  );
}

function withoutClient(schedule: Schedule): readonly Schedule[] {
  const clients = clientsOf(schedule);
  return clients.flatMap((gone) =>
    clients.filter((other) => other < gone).map((other) => merged(schedule, gone, other)),
  );
}

function withoutNode(schedule: Schedule): readonly Schedule[] {
  return schedule.faults.flatMap((fault, i) => {
    const { nodes: mask } = fault;
    if (mask === undefined) return [];
    const nodes = nodesIn(mask);
    if (nodes.length === 1) return [];
    return nodes.map((node) => withFault(schedule, i, { ...fault, nodes: mask - (1 << node) }));
  });
}

/** A story needs two clients, and the fault that it is about. */
function isStory(candidate: Schedule, schedule: Schedule): boolean {
  const clientsMin = Math.min(2, clientsOf(schedule).length);
  const faultsMin = Math.min(1, schedule.faults.length);
  return clientsOf(candidate).length >= clientsMin && candidate.faults.length >= faultsMin;
}

/** Removes the faults of clients without operations. */
function withOps(schedule: Schedule, ops: readonly Op[]): Schedule {
  const clients = clientsOf({ ops });
  const faults = schedule.faults.filter(
    (fault) =>
      (fault.client === undefined || clients.includes(fault.client)) &&
      (fault.when === undefined || !('by' in fault.when) || exists(fault.when.by, clients)),
  );
  const kept = { ...schedule, ops, faults: faults.map((fault) => keepStaying(fault, clients)) };
  const isIn = (ids: readonly string[]): readonly string[] =>
    ids.filter((id) => clients.includes(id));
  return withNewcomers(withStill(kept, isIn), isIn);
}

function withStill(
  schedule: Schedule,
  change: (still: readonly string[]) => readonly string[],
): Schedule {
  const { aftermath } = schedule;
  if (aftermath === undefined) return schedule;
  const still = [...new Set(change(clientIdsIn(aftermath.still)))].toSorted().join('');
  return { ...schedule, aftermath: { ...aftermath, still } };
}

function withNewcomers(
  schedule: Schedule,
  change: (newcomers: readonly string[]) => readonly string[],
): Schedule {
  const { newcomers, ...rest } = schedule;
  if (newcomers === undefined) return schedule;
  const changed = [...new Set(change(clientIdsIn(newcomers)))].toSorted().join('');
  return changed === '' ? rest : { ...schedule, newcomers: changed };
}

function keepStaying(fault: Fault, clients: readonly string[]): Fault {
  if (fault.stay === undefined) return fault;
  return {
    ...fault,
    stay: clientIdsIn(fault.stay)
      .filter((id) => clients.includes(id))
      .join(''),
  };
}

function exists(by: string, clients: readonly string[]): boolean {
  return by.length > 1 || clients.includes(by);
}

/** Gives the operations of `gone` to `other`. */
function merged(schedule: Schedule, gone: string, other: string): Schedule {
  return withNames(schedule, (id) => (id === gone ? other : id));
}

/** Names the clients a, b, … and numbers the operations in the order in which they begin. */
export function renamed(schedule: Schedule): Schedule {
  const ops = schedule.ops.toSorted((x, y) => x.atMs - y.atMs || x.id - y.id);
  const order = [...new Set(ops.map(({ client }) => client))];
  const name = (id: string): string => {
    const place = order.indexOf(id);
    return place < 0 ? id : String.fromCharCode('a'.charCodeAt(0) + place);
  };
  const numbered = ops.map((op, i) => ({ ...op, id: i + 1 }));
  return withNames({ ...schedule, ops: numbered }, name);
}

function withNames(schedule: Schedule, name: (id: string) => string): Schedule {
  const ops = schedule.ops.map((op) => ({ ...op, client: name(op.client) }));
  const faults = schedule.faults.map((fault) => {
    let called: Fault = fault;
    if (called.client !== undefined) called = { ...called, client: name(called.client) };
    if (called.when !== undefined && 'by' in called.when)
      called = { ...called, when: { ...called.when, by: name(called.when.by) } };
    if (called.stay !== undefined)
      called = {
        ...called,
        stay: [...new Set(clientIdsIn(called.stay).map(name))].toSorted().join(''),
      };
    return called;
  });
  const called = (ids: readonly string[]): readonly string[] => ids.map(name);
  return withNewcomers(withStill({ ...schedule, ops, faults }, called), called);
}

function withFault(schedule: Schedule, at: number, fault: Fault): Schedule {
  return { ...schedule, faults: schedule.faults.map((each, i) => (i === at ? fault : each)) };
}

/** Counts the elements, and the nodes they affect. */
export function sizeOf({
  ops,
  faults,
  aftermath,
  attempts,
  newcomers = '',
  closings = [],
  collections = [],
  repointings = [],
}: Schedule): number {
  const after =
    aftermath === undefined ? 0 : 1 + nodesIn(aftermath.nodes).length + aftermath.still.length;
  const elsewhere = repointings.map(({ nodes }) => nodesIn(nodes).length);
  const masks = faults.map((fault) =>
    fault.nodes === undefined ? 1 : nodesIn(fault.nodes).length,
  );
  return (
    ops.length +
    new Set(ops.map(({ client }) => client)).size +
    [...masks, ...elsewhere].reduce((a, b) => a + b, 0) +
    newcomers.length +
    (attempts === undefined ? 0 : 1) +
    closings.length +
    collections.length +
    ops.filter(({ waitMs }) => waitMs !== undefined).length +
    after
  );
}
