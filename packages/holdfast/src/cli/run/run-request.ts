import type { Arguments, OptionKinds } from '../arguments.ts';
import { durationMs } from '../durations.ts';
import { SOURCE_HELP, SOURCE_OPTIONS, sourceOf } from '../source-argument.ts';
import { UsageError } from '../usage-error.ts';

export const RUN_OPTIONS: OptionKinds = {
  ...SOURCE_OPTIONS,
  'no-wait': 'flag',
  wait: 'value',
  ttl: 'value',
  keep: 'value',
  again: 'flag',
  grace: 'value',
  'busy-status': 'value',
  'down-status': 'value',
  'lost-status': 'value',
};

/** Exit statuses of `holdfast run` itself: a command may use them, too, so they can be chosen. */
export interface Statuses {
  /** Another holder had the key. */
  readonly busy: number;
  /** The store did not answer, or its answer was lost. */
  readonly down: number;
  /** The command was ended, or the lock was lost while it ran. */
  readonly lost: number;
}

/** Those of sysexits.h that come closest: try again later, unavailable, internal error. */
const STATUSES: Statuses = { busy: 75, down: 69, lost: 70 };
const STATUS_MAX = 255;

export const RUN_HELP: string = `holdfast run KEY [options] -- COMMAND [ARGUMENT…]

Acquires KEY, runs COMMAND, and releases KEY once all its processes have ended. The lease
is renewed meanwhile. If it is lost, or can no longer be proven, the processes get SIGTERM,
and SIGKILL before the lease is over. Signals are passed on.

COMMAND gets HOLDFAST_KEY and, where the store has fencing tokens, HOLDFAST_TOKEN.

  --no-wait          do not wait for another holder
  --wait D           wait that long, or "forever"; default: waitMs of the configuration, or 10s
  --ttl D            the time after which a holder that crashed loses KEY; default: ttlMs, or 30s
  --grace D          time between SIGTERM and SIGKILL; default: 10s, or what the ttl allows
  --keep D           after success keep KEY until D after it was acquired, and to the end of
                     the ttl, so that a replica that comes late finds it taken; makes one
                     attempt, as --no-wait does
  --again            after a loss acquire KEY and run COMMAND again; waits forever
  --busy-status N    exit status if another holder has KEY; default ${STATUSES.busy}
  --down-status N    … if the store gives no answer; default ${STATUSES.down}
  --lost-status N    … if the lock was lost, and COMMAND ended; default ${STATUSES.lost}
${SOURCE_HELP}

Exit status: that of COMMAND, 128 + n if signal n ended it, 126 or 127 if it cannot be run;
2 for a usage error.

  holdfast run nightly-report --no-wait --busy-status 0 -- ./report.sh`;

/** What the command line asks for. */
export interface RunRequest {
  readonly key: string;
  readonly command: readonly string[];
  readonly source: string;
  readonly store: string | undefined;
  /** Undefined: as the configuration says. */
  readonly waitMs: number | undefined;
  readonly ttlMs: number | undefined;
  readonly graceMs: number | undefined;
  readonly keepMs: number | undefined;
  readonly again: boolean;
  readonly statuses: Statuses;
}

/** Reads the command line. @throws UsageError */
export function readRunRequest(args: Arguments, env: NodeJS.ProcessEnv): RunRequest {
  const { operands, afterDashes: command = [], values, flags } = args;
  const [key, ...more] = operands.slice(0, operands.length - command.length);
  if (key === undefined || more.length > 0 || command.length === 0)
    throw new UsageError('name one key, and the command after --', EXAMPLE);
  const duration = (option: string): number | undefined => {
    const text = values.get(option);
    return text === undefined ? undefined : durationMs(option, text);
  };
  const request = {
    key,
    command,
    source: sourceOf(args, env),
    store: values.get('store'),
    waitMs: waitMsOf(args),
    ttlMs: duration('ttl'),
    graceMs: duration('grace'),
    keepMs: duration('keep'),
    again: flags.has('again'),
    statuses: statusesOf(args),
  };
  checkTogether(args);
  return request;
}

const EXAMPLE = 'For example: holdfast run orders -- ./import.sh';

function waitMsOf({ flags, values }: Arguments): number | undefined {
  const text = values.get('wait');
  if (flags.has('no-wait')) return 0;
  if (text === 'forever') return Number.POSITIVE_INFINITY;
  if (text !== undefined) return durationMs('wait', text);
  return flags.has('again') ? Number.POSITIVE_INFINITY : undefined;
}

function checkTogether({ flags, values }: Arguments): void {
  const given = (name: string): boolean => flags.has(name) || values.has(name);
  for (const [one, other, why] of CONTRARY)
    if (given(one) && given(other)) throw new UsageError(`--${one} and --${other}: ${why}`);
}

const CONTRARY = [
  ['no-wait', 'wait', 'use one of them'],
  ['no-wait', 'again', 'a lock that was lost is waited for'],
  ['keep', 'wait', 'a run that waited for the key would be the second one'],
  ['keep', 'again', 'a job that is kept from running twice is not run again'],
] as const;

function statusesOf({ values }: Arguments): Statuses {
  const status = (name: keyof Statuses): number => {
    const text = values.get(`${name}-status`) ?? `${STATUSES[name]}`;
    if (/^\d{1,3}$/.test(text) && Number(text) <= STATUS_MAX) return Number(text);
    throw new UsageError(`--${name}-status needs a number from 0 to ${STATUS_MAX}, not "${text}"`);
  };
  return { busy: status('busy'), down: status('down'), lost: status('lost') };
}
