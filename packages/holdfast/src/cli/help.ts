export const HELP: string = `holdfast: distributed locks that say what they know

  holdfast compare               what each lock loses under which fault, and what it costs
  holdfast find LOCK             search for a schedule of faults that breaks a lock
  holdfast replay STORY          play what find found again, and draw it
  holdfast inspect KEY           who holds a key, and for how long
  holdfast force-release KEY     take a key away from its holder

  holdfast COMMAND --help        options of a command
  holdfast --version

inspect and force-release ask the server that HOLDFAST_URL or HOLDFAST_CONFIG names.`;

export const COMPARE_HELP: string = `holdfast compare [--servers WHERE] [--json] [--out DIR] [--seed N] [what] [how hard]

Runs the same work under each lock, and without one, while faults strike; prints
what was lost and what it cost, and writes DIR/report.json.

  --servers embedded   in the simulator, no server needed (default): every fault on
                       every lock, beside what the matrix (docs/matrix.md) expects
  --servers local      starts its own redis-server on loopback, with real processes,
                       and three ZooKeeper servers where ZooKeeper is installed
  --servers auto       embedded, and local too where redis-server is installed
  --servers own        the server that HOLDFAST_URL or HOLDFAST_CONFIG names
  --servers X          a URL (redis://…, zk://…) or a configuration file; only keys in a
                       namespace of its own are touched
  --json               prints the report as JSON on stdout
  --out DIR            where to write it; default out/compare
  --seed N             which schedules the simulator plays; default 1

What it plays in the simulator, all of it by default:
  --faults ID[,ID]     only these rows, for example pause,failover
  --backends B[,B]     only these columns, and the control

How hard it tries, with defaults:
  --budget 64          schedules a cell, in the simulator; more, where a lock has to
                       break and has not yet
  --processes 4  --waiters 4   real processes, and clients in each
  --rounds 8           updates of each client where there is contention only
  --trials 4           repetitions of a fault, at once, each on a key of its own
  --ttl 1000           in ms, on real servers

Exit code 0: as expected; 1: not as expected, or proved nothing; 2: called wrongly.`;

export const INSPECT_HELP: string = `holdfast inspect KEY [--on X]

Prints who holds KEY, for how long still, and under which fencing token: as JSON.

  --on X    a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG`;

export const FORCE_RELEASE_HELP: string = `holdfast force-release KEY [--on X]

Takes KEY away from whoever holds it. The old holder learns of it at its next renewal:
until then two may believe that they hold it.

  --on X    a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG`;

export const FIND_HELP: string = `holdfast find LOCK --fault ID[,ID] [--fenced] [--property P] [--budget N] [--seed N] [--jobs N] [--json] [--out FILE]

Plays schedules of faults on a lock, in simulated time, until one breaks it; makes that one
small, and tells it as a story that can be replayed. No server is needed.

  LOCK             redis-simple, redis-getset, redlock, zk, memory, or a file such as
                   ./my-lock.js that exports openBackend(options, host); options are
                   { node, nodes }
  --fault ID[,ID]  what goes wrong: one or two kinds at a time find most
  --fenced         the resource compares fencing tokens, and is what is judged
  --property P     validity (two valid holders), belief (a late one), resource, or liveness.
                   Default: validity; after a late holder only a tenth of the budget, at
                   least 1000 schedules, is spent on looking for something worse
  --budget N       how many schedules at most; default 20000
  --seed N         which schedules; default 1
  --jobs N         how many threads; what is found does not depend on it; default 1
  --json           prints the finding as JSON
  --out FILE       where to write the story; default out/find/LOCK-ID.json

Exit code 0: found; 3: not found within the budget; 2: called wrongly.`;

export const REPLAY_HELP: string = `holdfast replay FILE|STRING|NAME [--svg FILE] [--on all] [--json]

Plays a story again, draws it, and says whether it came out the same.

  FILE       a story that find wrote
  STRING     a story as find prints it: r1. and what follows
  NAME       a story that comes with holdfast
  --svg FILE draws it as a picture, too
  --on all   plays the same schedule on every lock: one fault, several answers
  --json     prints what came of it as JSON

Exit code 0: the same verdict and the same trace; 1: not the same; 2: called wrongly.`;
