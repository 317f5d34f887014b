import type { FaultRegistry } from './fault.ts';
import {
  AFTERMATH,
  ATTEMPTS,
  CHOICES_MAX,
  ENSEMBLE,
  FAULTS_MAX,
  LASTING,
  OP,
  OPS_MAX,
  REPOINTING,
  SETUP,
  WHEN,
} from './fields.ts';
import { JsonReader } from './reader.ts';
import {
  ACQUIRE_MODES,
  type Aftermath,
  type ClientAction,
  clientIdsIn,
  clientsOf,
  type Fault,
  nodeName,
  nodesIn,
  type Op,
  PERMANENT_FAULTS,
  type Repointing,
  type Schedule,
  type When,
} from './schedule.ts';

/** The version of schedules and stories that this release reads and writes. */
export const VERSION = 1;

const OPTIONAL = [
  'ensemble',
  'newcomers',
  'attempts',
  'closings',
  'collections',
  'repointings',
  'choices',
  'aftermath',
] as const;

/** The clients and nodes that faults may name. */
interface Participants {
  readonly clients: readonly string[];
  readonly nodes: number;
  readonly replicas: number;
}

/**
 * Reads a schedule strictly: nothing is guessed, repaired or left out.
 * @throws ScheduleError with the place and the reason: another version, an unknown fault, a fault that names a client
 * or a node that does not exist, a number out of range
 */
export function parseSchedule(faults: FaultRegistry, value: unknown, path = ''): Schedule {
  return readSchedule(new JsonReader(value, path), faults);
}

/** @throws ScheduleError */
export function readSchedule(reader: JsonReader, registry: FaultRegistry): Schedule {
  readVersion(reader, 'schedule');
  reader.only(['v', ...Object.keys(SETUP), ...OPTIONAL, 'ops', 'faults']);
  const setup = { ...reader.numbers(SETUP), ...readEnsemble(reader), ...readAttempts(reader) };
  const ops = reader.at('ops').list(OPS_MAX).map(readOp);
  const twice = ops.findIndex(({ id }, i) => ops.findIndex((op) => op.id === id) < i);
  if (twice >= 0)
    reader.at('ops').refuse(`operation id ${ops[twice]?.id} is used twice; ids must be unique`);
  const participants = { ...setup, clients: clientsOf({ ops }) };
  const start = {
    ...setup,
    ...readStart(reader, participants),
    ...readRepointings(reader, participants),
  };
  const faults = reader
    .at('faults')
    .list(FAULTS_MAX)
    .map((fault) => readFault(fault, participants, registry));
  if (reader.has('choices')) {
    const choices = readChoices(reader.at('choices'), reader);
    return { v: VERSION, ...start, ops, faults, choices };
  }
  if (!reader.has('aftermath')) return { v: VERSION, ...start, ops, faults };
  const aftermath = readAftermath(reader.at('aftermath'), participants);
  return { v: VERSION, ...start, ops, faults, aftermath };
}

/** Checked first: in another version no other field can be trusted to mean the same thing. */
export function readVersion(reader: JsonReader, what: string): void {
  const version = reader.at('v').whole({ min: 0, max: Number.MAX_SAFE_INTEGER });
  if (version !== VERSION)
    reader
      .at('v')
      .refuse(`this is a ${what} of version ${version}; this release reads version ${VERSION}`);
}

function readEnsemble(reader: JsonReader): Pick<Schedule, 'ensemble'> {
  if (!reader.has('ensemble')) return {};
  const ensemble = reader.at('ensemble').only(Object.keys(ENSEMBLE)).numbers(ENSEMBLE);
  return { ensemble };
}

function readAttempts(reader: JsonReader): Pick<Schedule, 'attempts'> {
  return reader.has('attempts') ? { attempts: reader.at('attempts').whole(ATTEMPTS) } : {};
}

/** Reads the clients' other actions besides their operations, and how they begin. */
function readStart(
  reader: JsonReader,
  participants: Participants,
): Pick<Schedule, 'newcomers' | 'closings' | 'collections'> {
  const moments = (name: 'closings' | 'collections'): readonly ClientAction[] =>
    reader.at(name).list(OPS_MAX).map(readMoment);
  return {
    ...(reader.has('newcomers')
      ? { newcomers: readStay(reader.at('newcomers'), participants) }
      : {}),
    ...(reader.has('closings') ? { closings: moments('closings') } : {}),
    ...(reader.has('collections') ? { collections: moments('collections') } : {}),
  };
}

function readRepointings(
  reader: JsonReader,
  participants: Participants,
): Pick<Schedule, 'repointings'> {
  if (!reader.has('repointings')) return {};
  const all = reader.at('repointings').list(FAULTS_MAX);
  return { repointings: all.map((each) => readRepointing(each, participants)) };
}

function readRepointing(reader: JsonReader, participants: Participants): Repointing {
  reader.only([...Object.keys(REPOINTING), 'to']);
  checkNodes(reader.at('nodes'), participants);
  return { ...reader.numbers(REPOINTING), to: reader.at('to').oneOf(nodesOf(participants)) };
}

/** A client without operations is allowed: minimising a story may have removed them. */
function readMoment(reader: JsonReader): ClientAction {
  reader.only(['client', 'atMs']);
  return { client: readClientId(reader.at('client')), atMs: reader.at('atMs').whole(OP.atMs) };
}

function readClientId(reader: JsonReader): string {
  const client = reader.text();
  return /^[a-z]$/.test(client) ? client : reader.refuse('a client is one letter from a to z');
}

function readOp(reader: JsonReader): Op {
  reader.only([...Object.keys(OP), 'client', 'renews', 'as', 'waitMs']);
  const client = readClientId(reader.at('client'));
  return {
    ...reader.numbers(OP),
    client,
    renews: reader.at('renews').flag(),
    ...(reader.has('as') ? { as: reader.at('as').oneOf(ACQUIRE_MODES) } : {}),
    ...(reader.has('waitMs') ? { waitMs: reader.at('waitMs').whole(LASTING) } : {}),
  };
}

function readFault(reader: JsonReader, participants: Participants, registry: FaultRegistry): Fault {
  const kind = reader.at('kind').text();
  const known = registry.find(kind);
  if (known === undefined)
    return reader.at('kind').refuse(`unknown fault ${kind}; use one of ${registry.ids.join(', ')}`);
  if (known.needs === 'replicas' && participants.replicas === 0)
    reader.at('kind').refuse(`${kind} needs a replica, and replicas is 0`);
  const { fields } = known;
  const parts: Record<string, Fault[string]> & Pick<Fault, 'kind'> = { kind };
  if (fields.client || (fields.either && reader.has('client')))
    parts['client'] = readClient(reader.at('client'), participants);
  else if (fields.either) parts['nodes'] = checkNodes(reader.at('nodes'), participants);
  if (fields.when) parts['when'] = readWhen(reader.at('when'), participants);
  if (fields.label) parts['label'] = reader.at('label').text();
  if (fields.way) parts['way'] = reader.at('way').oneOf(fields.way);
  if (fields.oneWay && reader.has('way')) parts['way'] = reader.at('way').oneOf(fields.oneWay);
  if (fields.stay) parts['stay'] = readStay(reader.at('stay'), participants);
  if ('nodes' in fields.numbers) checkNodes(reader.at('nodes'), participants);
  Object.assign(parts, reader.numbers(fields.numbers));
  reader.only(Object.keys(parts));
  return parts;
}

function readAftermath(reader: JsonReader, participants: Participants): Aftermath {
  reader.only([...Object.keys(AFTERMATH), 'how', 'still', 'holdMs']);
  const numbers = reader.numbers(AFTERMATH);
  if (numbers.nodes > 0) checkNodes(reader.at('nodes'), participants);
  if (2 * nodesIn(numbers.nodes).length >= participants.nodes && numbers.nodes > 0)
    reader.at('nodes').refuse('fewer than half of the nodes can stay broken');
  const still = readStay(reader.at('still'), participants);
  const aftermath = { ...numbers, how: reader.at('how').oneOf(PERMANENT_FAULTS), still };
  if (!reader.has('holdMs')) return aftermath;
  return { ...aftermath, holdMs: reader.at('holdMs').whole(LASTING) };
}

const STARTS = ['newcomers', 'attempts', 'closings', 'collections', 'repointings'] as const;

/** Reads the order of steps. Each client has one round, and only the order can go wrong. */
function readChoices(reader: JsonReader, schedule: JsonReader): readonly string[] {
  for (const other of ['faults', 'aftermath', ...STARTS])
    if (
      schedule.has(other) &&
      (other !== 'faults' || schedule.at(other).list(FAULTS_MAX).length > 0)
    )
      schedule.at(other).refuse('must be absent or empty in a schedule with choices');
  return reader.list(CHOICES_MAX).map((choice) => choice.text());
}

function readClient(reader: JsonReader, { clients }: Participants): string {
  const client = reader.text();
  if (clients.includes(client)) return client;
  return reader.refuse(`unknown client ${client}; use one of ${clients.join(', ')}`);
}

function readStay(reader: JsonReader, { clients }: Participants): string {
  const stay = reader.text();
  const unknown = clientIdsIn(stay).find((client) => !clients.includes(client));
  return unknown === undefined ? stay : reader.refuse(`unknown client ${unknown}`);
}

function checkNodes(reader: JsonReader, { nodes }: Participants): number {
  const max = 2 ** nodes - 1;
  const mask = reader.whole({ min: 1, max: Number.MAX_SAFE_INTEGER });
  if (mask <= max) return mask;
  return reader.refuse(
    `${mask} names a node that does not exist: there are ${nodes}, masks go up to ${max}`,
  );
}

function nodesOf({ nodes }: Participants): readonly string[] {
  return Array.from({ length: nodes }, (_, node) => nodeName(node));
}

function readWhen(reader: JsonReader, participants: Participants): When {
  if (reader.has('atMs')) return { atMs: reader.only(['atMs']).at('atMs').whole(WHEN.atMs) };
  const moment = reader.has('before') ? 'before' : 'after';
  reader.only([moment, 'n', 'by']);
  const by = reader.at('by').text();
  const actors = [...participants.clients, ...nodesOf(participants)];
  if (!actors.includes(by))
    reader.at('by').refuse(`unknown ${by}; use one of ${actors.join(', ')}`);
  const label = reader.at(moment).text();
  const n = reader.at('n').whole(WHEN.n);
  return moment === 'before' ? { before: label, n, by } : { after: label, n, by };
}
