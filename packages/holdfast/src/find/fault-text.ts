import type { Fault, When } from '@holdfast/sim';

/** What a fault did to whom it struck, without a subject; for one and for several alike. */
export function faultText(fault: Fault, isEnsemble = false): string {
  if (isEnsemble) return ensembleText(fault) ?? faultText(fault);
  switch (fault.kind) {
    case 'pause':
    case 'pause-acquire':
      return `stands still for ${fault.ms} ms${anchor(fault.when)}`;
    case 'loop-block':
      return `event loop blocked for ${fault.ms} ms${anchor(fault.when)}`;
    case 'suspend':
      return `machine asleep for ${fault.ms} ms${anchor(fault.when)}`;
    case 'client-clock':
      return `wall clock jumps ${jump(fault.ms)}`;
    case 'server-clock-forward':
      return `wall clock jumps ${jump(fault.ms)}`;
    case 'server-clock-back':
      return `wall clock jumps ${jump(-fault.ms)}`;
    case 'drift':
      return `clocks run ${Math.abs(fault.ppm)} ppm ${fault.ppm < 0 ? 'slow' : 'fast'}`;
    case 'holder-crash':
      return 'dies';
    case 'delay':
    case 'reorder':
      return `${fault.way === 'request' ? '' : 'answer to '}${fault.label} held up for ${fault.ms} ms`;
    case 'lost-reply':
      return `answer to ${fault.label} lost, connection reset`;
    case 'lost-wakeup':
      return 'a notification is lost';
    case 'client-cut':
      return `cut off from ${fault.client.toUpperCase()} for ${fault.ms} ms${CUTS[fault.way]}`;
    case 'server-stop':
      return `standstill for ${fault.ms} ms`;
    case 'restart-empty':
      return `crash; back without data${after(fault.ms)}`;
    case 'restart-durable':
    case 'majority-down':
      return `crash; back with all data${after(fault.ms)}`;
    case 'torn-log':
      return `power loss; back without the last ${plural(fault.writes, 'write')}${after(fault.ms)}`;
    case 'failover':
      return `dies with what it has not replicated; its replica takes over${after(fault.ms)}`;
    case 'split-brain':
      return `cut off, yet lives on as a second master for ${fault.ms} ms`;
    case 'peer-cut':
      return `cut off from its replica for ${fault.ms} ms${sidesOf(fault)}`;
    case 'swizzle':
    default:
      return `clogged one after another, ${fault.gapMs} ms apart, for ${fault.ms} ms`;
  }
}

/** Of what servers of one ensemble suffer otherwise than masters and replicas do. */
function ensembleText(fault: Fault): string | undefined {
  if (fault.kind === 'failover')
    return `the leader dies, with what it has told nobody; back${after(fault.ms)}`;
  if (fault.kind === 'split-brain')
    return `the leader is cut off from the others for ${fault.ms} ms`;
  return fault.kind === 'peer-cut'
    ? `cut off from the other servers for ${fault.ms} ms${sidesOf(fault)}`
    : undefined;
}

/** Whether what it does to whom it strikes has an end that is worth telling. */
export function lasts(fault: Fault): boolean {
  return 'ms' in fault && fault.ms > 0 && !SUDDEN.has(fault.kind);
}

const SUDDEN: ReadonlySet<Fault['kind']> = new Set([
  'client-clock',
  'server-clock-forward',
  'server-clock-back',
  'delay',
  'reorder',
  'failover',
]);

const CUTS = { request: ': no request gets there', reply: ': no answer gets back', both: '' };

function sidesOf({ way }: Extract<Fault, { kind: 'peer-cut' }>): string {
  return way === undefined ? '' : SIDES[way];
}

const SIDES = { out: ': nothing gets out, all gets in', in: ': nothing gets in, all gets out' };

function anchor(when: When): string {
  if ('before' in when) return `, right before ${callOf(when.before)}`;
  if ('after' in when) return `, right after ${callOf(when.after)}`;
  return '';
}

/** The harness' own labels, in words. */
function callOf(label: string): string {
  const words: Readonly<Record<string, string>> = {
    now: 'it reads its clock',
    timer: 'it sets a timer',
    write: 'it writes',
    read: 'it reads',
  };
  return words[label] ?? `it sends ${label}`;
}

function jump(ms: number): string {
  return `${Math.abs(ms)} ms ${ms < 0 ? 'back' : 'ahead'}`;
}

function after(ms: number): string {
  return ms === 0 ? '' : ` after ${ms} ms`;
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${count} ${noun}s`;
}
