import type { Message } from '../draw/index.ts';
import type { TraceRecord } from '../simulator/index.ts';
import { MEMORY, type Names } from './names.ts';

/** Labels with which every connection begins; no story is about them. */
const PREAMBLE = ['connect', 'HELLO', 'INFO', 'start', 'replicate', 'sync', 'close'];
/** Questions for where a server is. */
const FINDING = ['SENTINEL', 'CLUSTER'];
/** Labels of an ensemble: handshakes, session pings, and messages between its servers. */
const PREAMBLE_ZOOKEEPER = ['session', 'setWatches', 'ping', 'pong', 'vote', 'invite', 'follow'];
const PEERS = ['log', 'serve', 'forward', 'proposal', 'ack', 'commit', 'refuse'];
const REVALIDATION = ['revalidate', 'valid'];
const HIDDEN_LABELS = new Set([
  ...PREAMBLE,
  ...FINDING,
  ...PREAMBLE_ZOOKEEPER,
  ...PEERS,
  ...REVALIDATION,
]);
/** Messages that a server pushes: a publication, a watch that fires. */
const NOTIFICATION_LABELS = new Set(['message', 'watch']);
/** Longer replies are not readable. */
const SHORT = 20;
const UNKNOWN_SCRIPT = 'NOSCRIPT';

/** A request with its execution, reply and loss in the trace. */
interface Exchange {
  readonly sent: TraceRecord;
  readonly executed: TraceRecord | undefined;
  readonly replied: TraceRecord | undefined;
  readonly lost: TraceRecord | undefined;
}

/**
 * The messages of a run, as a drawing shows them: requests and replies. Calls that only failed with NOSCRIPT are omitted,
 * and so are messages that were in flight when the run ended.
 */
export function messagesOf(
  trace: readonly TraceRecord[],
  names: Names,
  resource: string,
): readonly Message[] {
  const endUs = trace.at(-1)?.atUs ?? 0;
  const messages = exchangesOf(trace).flatMap((exchange) => {
    if (exchange.replied?.detail?.startsWith(UNKNOWN_SCRIPT) === true) return [];
    return [...request(exchange, names, resource, endUs), ...reply(exchange, names, resource)];
  });
  return [...messages, ...pushes(trace, names)].toSorted((a, b) => a.sentMs - b.sentMs);
}

function exchangesOf(trace: readonly TraceRecord[]): readonly Exchange[] {
  const effects = effectsOf(trace);
  return trace.flatMap((sent) => {
    if (sent.kind !== 'send' || HIDDEN_LABELS.has(sent.label ?? '')) return [];
    const find = (cause: TraceRecord | undefined, kind: string): TraceRecord | undefined =>
      cause &&
      effects.get(cause.seq)?.find((each) => each.kind === kind && each.label === sent.label);
    const executed = find(sent, 'exec');
    return [
      {
        sent,
        executed,
        replied: find(executed, 'recv'),
        lost: find(sent, 'lost') ?? find(executed, 'lost'),
      },
    ];
  });
}

/** The direct effects of every record, by its `seq`. */
function effectsOf(trace: readonly TraceRecord[]): ReadonlyMap<number, readonly TraceRecord[]> {
  const effects = new Map<number, TraceRecord[]>();
  for (const record of trace) {
    const known = effects.get(record.cause);
    if (known === undefined) effects.set(record.cause, [record]);
    else known.push(record);
  }
  return effects;
}

function request(
  { sent, executed, replied, lost }: Exchange,
  names: Names,
  resource: string,
  endUs: number,
): Message[] {
  const label = sent.label ?? '';
  const sentUs = sent.departUs ?? sent.atUs;
  if (executed === undefined && lost === undefined && sentUs > endUs - 10_000) return [];
  return [
    {
      from: names(sent.process),
      to: destination(sent, names, resource),
      label,
      sentMs: sentUs / 1000,
      arrivedMs: executed === undefined ? null : executed.atUs / 1000,
      detail: detailOf(sent, replied),
    },
  ];
}

function reply(
  { sent, executed, replied, lost }: Exchange,
  names: Names,
  resource: string,
): Message[] {
  if (executed === undefined || (replied === undefined && lost === undefined)) return [];
  return [
    {
      from: destination(sent, names, resource),
      to: names(sent.process),
      label: `reply to ${sent.label ?? ''}`,
      sentMs: executed.atUs / 1000,
      arrivedMs: replied === undefined ? null : replied.atUs / 1000,
    },
  ];
}

/** Notifications, which a server sends while it executes another request. */
function pushes(trace: readonly TraceRecord[], names: Names): readonly Message[] {
  return trace.flatMap((record) => {
    if (record.kind !== 'recv' && record.kind !== 'lost') return [];
    if (!NOTIFICATION_LABELS.has(record.label ?? '')) return [];
    const cause = trace[record.cause];
    if (cause === undefined) return [];
    const isLost = record.kind === 'lost';
    return [
      {
        from: names(cause.process),
        to: names(isLost ? (record.to ?? '') : record.process),
        label: 'notification',
        sentMs: cause.atUs / 1000,
        arrivedMs: isLost ? null : record.atUs / 1000,
      },
    ];
  });
}

/** A call without a target goes to the resource, or to the store of the in-memory backend. */
function destination({ to, label }: TraceRecord, names: Names, resource: string): string {
  if (to !== undefined) return names(to);
  return label === 'read' || label === 'write' ? resource : MEMORY;
}

/** The arguments and reply of a plain command; the effects of a script are shown elsewhere. */
function detailOf(
  { label = '', detail = '' }: TraceRecord,
  replied: TraceRecord | undefined,
): string | undefined {
  if (!/^[A-Z]+$/.test(label) || label === 'SUBSCRIBE') return undefined;
  const args = detail.split(' ').slice(1).join(' ');
  const result = replied?.detail?.replaceAll('"', '') ?? '';
  const parts = [args, result === '' ? '' : `→ ${result}`].filter(
    (part) => part !== '' && part.length <= SHORT,
  );
  return parts.length === 0 ? undefined : withClockTimes(parts.join(' '));
}

/** Prints milliseconds since the epoch like the clocks of the lanes. */
function withClockTimes(text: string): string {
  return text.replaceAll(/\b1[67]\d{11}\b/g, (ms) =>
    new Date(Number(ms)).toISOString().slice(11, 23),
  );
}
