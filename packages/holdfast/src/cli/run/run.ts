import { constants } from 'node:os';
import { isLockError, type Locks } from '@holdfast/core';
import { checkKey, checkTtl, redactUrl, TTL_MS_DEFAULT, validityMs } from '@holdfast/core/backend';
import { builtIn } from '../../backends/built-in.ts';
import { type ResolvedConfig, resolveSource } from '../../config/source.ts';
import { capabilitiesOf, openResolved } from '../../open-locks.ts';
import type { Arguments } from '../arguments.ts';
import type { CommandBody } from '../command.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { Campaign, checkGrace, type Outcome } from './campaign.ts';
import type { EndReason } from './ending.ts';
import { graceLimitMs } from './grace.ts';
import type { CommandEnd } from './messages.ts';
import { RUN_HELP, RUN_OPTIONS, type RunRequest, readRunRequest } from './run-request.ts';
import { SignalRelay } from './signal-relay.ts';

export const RUN: CommandBody = { options: RUN_OPTIONS, help: RUN_HELP, run };

async function run(args: Arguments, io: Io): Promise<number> {
  if (process.platform === 'win32')
    throw new UsageError('holdfast run needs process groups, which Windows does not have');
  const request = readRunRequest(args, io.env);
  const resolved = await resolveSource(request.source, { store: request.store });
  await checkBefore(request, resolved);
  const { backend } = resolved.config;
  if (builtIn(backend)?.isLocal === true)
    say(io, `${backend} keeps no other process out; name a store with --on`);
  const relay = new SignalRelay(() => say(io, 'it cannot be suspended: its lease would end'));
  try {
    const locks = await openResolved(resolved);
    try {
      warnOfReleases(locks, io);
      return await runUntilEnd(new Campaign(locks, request, relay, io.env), request, relay, io);
    } finally {
      await locks.close();
    }
  } catch (error) {
    return downStatus(error, request, io);
  } finally {
    relay.close();
  }
}

/**
 * Refuses what cannot work before anything is opened. How long a session lasts, its store says later.
 * @throws UsageError, InvalidKeyError, InvalidOptionError
 */
async function checkBefore(request: RunRequest, resolved: ResolvedConfig): Promise<void> {
  const { key, graceMs, ttlMs, keepMs } = request;
  const name = redactUrl(resolved.config.backend);
  checkKey(key, name);
  if (ttlMs !== undefined) checkTtl(ttlMs, key, name);
  const lease = (await capabilitiesOf(resolved))?.lease;
  if (lease === 'session' && (keepMs ?? ttlMs) !== undefined)
    throw new UsageError(
      `${keepMs === undefined ? '--ttl' : '--keep'}: all leases on ${name} last as long as its session`,
      'The session timeout is ttlMs of the configuration.',
    );
  if (graceMs === undefined || lease !== 'per-call-ttl') return;
  const leaseMs = ttlMs ?? resolved.config.ttlMs ?? TTL_MS_DEFAULT;
  checkGrace(graceMs, graceLimitMs(validityMs(leaseMs), leaseMs), leaseMs);
}

async function runUntilEnd(
  campaign: Campaign,
  request: RunRequest,
  relay: SignalRelay,
  io: Io,
): Promise<number> {
  for (;;) {
    const outcome = await campaign.run();
    const status = statusOf(outcome, request, relay, io);
    if (!request.again || !isLost(outcome) || relay.received !== undefined) return status;
    say(io, `waiting for '${request.key}' again`);
  }
}

/** The exit status, and a line for people where it is not the command's own. */
function statusOf(
  outcome: Outcome,
  { key, statuses }: RunRequest,
  { received = 'SIGTERM' }: SignalRelay,
  io: Io,
): number {
  if (outcome.kind === 'stopped') return statusOfSignal(received);
  if (outcome.kind === 'busy') {
    say(io, outcome.message);
    return statuses.busy;
  }
  const { end, loss } = outcome;
  if (!isLost(outcome)) return statusOfEnd(end);
  const why = loss?.message ?? whyEnded(end.reason, key);
  say(io, `${why}; the command ${endText(end)}`);
  return statuses.lost;
}

function isLost(outcome: Outcome): boolean {
  return outcome.kind === 'ran' && (outcome.loss ?? outcome.end.reason) !== undefined;
}

function whyEnded(reason: EndReason | undefined, key: string): string {
  if (reason === 'supervisor') return 'the guardian process is gone';
  if (reason === 'lost') return `the lock on '${key}' was lost`;
  return `the lock on '${key}' could not be renewed in time`;
}

function endText({ code, signal, reason }: CommandEnd): string {
  const how = reason === undefined ? 'had ended' : 'was ended';
  if (signal !== null) return `${how}, by ${signal}`;
  return code === null ? how : `${how}, with status ${code}`;
}

function statusOfEnd({ code, signal }: CommandEnd): number {
  return code ?? statusOfSignal(signal ?? 'SIGKILL');
}

/** As a shell shows it. */
function statusOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The status for a store that gave no answer. @throws every other error */
function downStatus(error: unknown, { statuses }: RunRequest, io: Io): number {
  if (!isLockError(error, 'BACKEND_UNAVAILABLE') && !isLockError(error, 'OUTCOME_UNKNOWN'))
    throw error;
  say(io, error.message);
  return statuses.down;
}

function warnOfReleases(locks: Locks, io: Io): void {
  locks.on('released', ({ key, outcome }) => {
    if (outcome !== 'unknown') return;
    say(io, `no reply to the release of '${key}': it may stay locked until its lease expires`);
  });
}

function say(io: Io, text: string): void {
  io.stderr.write(`holdfast: ${text}\n`);
}
