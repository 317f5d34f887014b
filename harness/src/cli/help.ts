import { wrapped } from '../compare/table.ts';
import { BY_NAME, DEBATED, EXHIBITS, LOCKS, type LockUnderTest } from '../locks/index.ts';

const REPEATING = LOCKS.flatMap(({ on }) =>
  on.filter(({ repeats }) => repeats).map(({ id }) => id),
).join(', ');
const RANGED = LOCKS.flatMap(({ name, sizes }) => (sizes === undefined ? [] : { name, ...sizes }));
const SIZED = RANGED.map(
  ({ name, min, max }) => `also ${name} on N servers, ${min} to ${max}`,
).join('; ');
const SIZES = RANGED.map(({ name, min, max }) => `of ${name}: ${min} to ${max}`).join('; ');
/** The columns of the matrix that a search can run, sizes apart. */
const SEARCHED = LOCKS.flatMap(({ name, on, sizes }) =>
  sizes === undefined
    ? on.flatMap(({ id, nodes, like }) => (nodes === undefined || like !== undefined ? [] : id))
    : name,
);
const CHOICES = indented(
  [
    SEARCHED.join(', '),
    ...RANGED.map(
      ({ name, min, max }) => `${name}-${min} to ${name}-${max} (by number of servers)`,
    ),
    `an exhibit (${namesOf(EXHIBITS)})`,
    `one of lesson 9 (${namesOf(DEBATED)})`,
    `one without a column (${namesOf(BY_NAME)})`,
    'or a file such as ./my-lock.js, or a package, that exports openBackend(options, host) and what it needs (docs/testing/searching.md)',
  ].join(', '),
);

const SALE_INDENT = 23;

function namesOf(locks: readonly LockUnderTest[]): string {
  return locks.map(({ name }) => name).join(', ');
}

/** Wraps text in the column of explanations. */
function indented(text: string): string {
  return wrapped(text, 19).join('\n');
}

export const COMPARE_HELP: string = `holdfast compare [--servers WHERE] [--store NAME] [--json] [--out DIR] [--seed N] [what] [effort]

Runs the same work under each lock, and without one, while faults happen. Prints
what was lost and what it cost, and writes DIR/report.json.

  --servers embedded   in the simulator, no server needed (default): every fault on
                       every lock, with what the matrix (docs/evidence/matrix.md) expects
  --servers local      the lab: starts its own servers (Redis, ZooKeeper, etcd, PostgreSQL), kills
                       them, pauses them, cuts them off; see --profile
  --servers auto       embedded, and local too if redis-server is installed
  --servers own        the server that HOLDFAST_URL or HOLDFAST_CONFIG names
  --servers X          a URL (redis://…, redlock://…, zk://…), several separated by commas, or
                       a configuration file: the lab on your servers. Faults hit only its own
                       clients, and it removes what it wrote
  --store NAME         which of the stores in that file
  --json               prints the report as JSON on stdout
  --out DIR            the output folder; default out/compare
  --seed N             which schedules the simulator plays; default 1

What it runs in the simulator; default: all but ${REPEATING}:
  --faults ID[,ID]     only these rows, for example pause,failover
  --backends B[,B]     only these columns, and the control
  --with-exhibits      also the exhibits (flawed locks), in a table of their own
  --with FILE          also your lock, in its own column: a file such as ./my-lock.js, or a
                       package (docs/testing/searching.md says what it exports); the matrix has
                       no expectation for it, so its cells say what was found
  --nodes N            ${SIZED}
  --all                also ${REPEATING}; with --backends: also rows in which
                       none of these can be tested

In the lab (docs/testing/lab.md):
  --profile quick      the most telling faults, three trials each: about 5 minutes, and a
                       page with charts in out/lab (default)
  --profile full       every fault that real servers can show, ten trials each, and other
                       ttls: about an hour
  --profile short      only contention, pause and holder-crash, or those of them that --faults
                       names, in seconds; used by auto
  --trials N           trials per cell, at most 1000 (default: 3 in quick, 10 in full)
  --ttl 1500           in ms
  --faults, --backends choose; each is run wherever it can be
  --dial MS[,MS]       also measures other ttls; full: 750,3000,6000
  --external CMD       also a lock in any language: a command that speaks the lines of
                       docs/testing/external.md; without --backends it alone
  --external-on COLUMN  the column on whose servers it is tested, such as redis-simple or zk
  --both               first the simulator, then the lab, and their verdicts side by side in
                       out/both. Exits 1 if they differ and the matrix does not say why

Effort, with defaults:
  --jobs N             simulator threads; default: one per core. The result does not depend
                       on it
  --budget 64          schedules per cell in the simulator; up to twenty times as many if a
                       lock should break and has not yet
  --deep               exactly 2000 schedules per cell, or --budget, with a table of rates.
                       About ten minutes on two cores
  --shard K/N          the K-th of N parts of --deep, for machines that share the work: each
                       writes DIR/shard-K-of-N.json; see holdfast merge
  --processes 4  --waiters 4   real processes, and clients in each
  --rounds 8           updates of each client under contention only
  --trials 4           repetitions of a fault, at once, each on its own key; these four and
                       --ttl 1000 (in ms) are for --profile short only

Exit codes: 0 as expected, 1 not as expected or nothing proved, 2 usage error.`;

export const MARGIN_HELP: string = `holdfast margin [LOCK...] [--budget N] [--seed N] [--json]

Measures the safety margin of each lock: the time from when a holder knows that its lease is
over until the servers could grant the key to another client. Clocks are off by as much as
is declared, under every fault that the lock is expected to survive. It runs in the
simulator; no server is needed.

  LOCK             ${namesOf(LOCKS.filter(({ margin }) => margin !== undefined))}; default: all
  --budget N       schedules per lock; default 500, as in docs/evidence/safety-margin.md
  --seed N         which schedules; default 1
  --json           prints the figures as JSON

Exit codes: 0 holders always knew first, 1 they did not, 2 usage error.`;

export const FIND_HELP: string = `holdfast find LOCK --fault ID[,ID] | --exhaustive [--fenced] [--property P] [--nodes N] [--budget N] [--seed N] [--jobs N] [--shard K/N] [--json] [--out FILE]

Runs a lock under schedules of faults, in virtual time, until one breaks it; minimises it,
and prints it as a story that can be replayed. No server is needed.

  LOCK             ${CHOICES}
  --fault ID[,ID]  the faults: one or two kinds at a time find most
  --fenced         the resource compares fencing tokens, and is judged
  --property P     validity (two valid holders), belief (a late one), resource, ownership (a
                   renewal or release that reaches the hold of another client), answers (a
                   reply that contradicts the servers' own record, or a lease that is
                   claimed for longer), fifo (on zk and etcd: a client served before one
                   that came earlier), or liveness (after the faults, some nodes or clients
                   never recover: finds clients that wait too long despite a healthy
                   quorum, and leftover state).
                   Default: validity; after a late holder only a tenth of the budget, at
                   least 1000 schedules, is spent on a search for something worse
  --nodes N        ${SIZES}; default: 5, and 4 in one of four schedules
  --budget N       the most schedules; default 20000
  --seed N         which schedules; default 1
  --jobs N         threads; the result does not depend on it; default 1
  --shard K/N      the K-th of N parts, for machines that share one search: runs every N-th
                   batch of 64 schedules, and writes a report for holdfast merge
  --exhaustive     no faults and no chance: tries every order of the steps of 2 clients that
                   acquire once, work and release, while one ttl passes at any moment;
                   prints COMPLETE, or the order that breaks the lock. With
                   --property validity, belief or liveness; --budget: the most runs, by
                   default 1000000, which may take an hour
  --clients N      with --exhaustive: 2 or 3; default 2. Calls time out with 2 only; on
                   several nodes the ttl passes only while no message is in flight
  --json           prints the finding as JSON
  --out FILE       where to write the story; default out/find/LOCK-ID.json; with --shard
                   the report; default out/find/LOCK-ID-shard-K-of-N.json

Exit codes: 0 found, 2 usage error, 3 not found within the budget.`;

export const MERGE_HELP: string = `holdfast merge FILE|DIR... [--json] [--out WHERE] [--jobs N] [--trust]

Merges the shards that find --shard or compare --shard wrote into one report, as if one
machine had run everything: counters are summed up, the earliest finding wins. All of them
have to be of one campaign: the same search, run by the same code. The finding is minimised
here, so your own lock has to be here, too.

  FILE         a shard report
  DIR          all the shard reports in it
  --json       prints the report as JSON
  --out WHERE  of find: the file for the story; default out/find/LOCK-ID.json
               of compare: the folder for report.json; default out/compare
  --jobs N     threads; default: one per core
  --trust      also runs a lock outside the working directory. Shards with a finding name
               the lock, and merging runs its code; its path is printed first

Exit codes: 0 found (find) or as expected (compare), 1 shards missing or not as expected,
2 usage error or shards of different campaigns, 3 not found within the budget.`;

export const REPLAY_HELP: string = `holdfast replay FILE|STRING|NAME [--svg FILE] [--on all] [--json] [--trust] [--run-code]

Replays a story, draws it, and checks that the result is the same.

  FILE       a story that find wrote
  STRING     a story as find prints it: r1. and what follows
  NAME       a story that comes with holdfast
  --svg FILE also draws it as a picture
  --on all   runs the same schedule on every lock
  --json     prints the result as JSON
  --trust    also runs a lock outside the working directory
  --run-code also runs code that the story carries; without it, the code is only shown

A story of a lock that is not built in names a file or a package, and replaying it runs that
code. Its path is printed first; one outside the working directory is refused without
--trust.

Exit codes: 0 same verdict and same trace, 1 different, 2 usage error.`;

/** The help of the sale, by the ids of its steps and charts. */
export function saleHelp(steps: readonly string[], charts: readonly string[]): string {
  const only = wrapped(
    `only these steps: ${steps.join(', ')}; or charts: ${charts.join(', ')}`,
    SALE_INDENT,
  ).join('\n');
  return `holdfast sale [--servers embedded|local] [--stock N] [--requests N] [--apps N] [--only STEP[,STEP]] [--with FILE] [--nodes N] [--json]

A shop sells one product to many users, through several processes: without a lock, under each
lock that people write first, and under the locks that hold. Each step prints its result in
one line, and the reason in a sentence.

  --servers embedded   in the simulator, in virtual time; the same every time (default)
  --servers local      with its own redis-server and real processes, and with servers of
                       ZooKeeper, etcd and PostgreSQL if they are installed
  --stock N            items in stock; default 300
  --requests N         requests, by up to 200 users at once; default 1000
  --apps N             application processes; default 2
  --only STEP[,STEP]   ${only}
  --with FILE          also under your lock: a file such as ./my-lock.js, or a package, in the
                       simulator (docs/testing/searching.md says what it exports); nothing is
                       expected of it
  --nodes N            ${SIZES}; default 5
  --json               prints the result as JSON

Exit codes: 0 every flaw showed and nothing else failed, 1 otherwise, 2 usage error.`;
}
