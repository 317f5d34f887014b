export const HELP: string = `holdfast: distributed locks that say what they know

  holdfast compare               what each lock loses under which fault, and what it costs
  holdfast inspect KEY           who holds a key, and for how long
  holdfast force-release KEY     take a key away from its holder

  holdfast COMMAND --help        options of a command
  holdfast --version

inspect and force-release ask the server that HOLDFAST_URL or HOLDFAST_CONFIG names.`;

export const COMPARE_HELP: string = `holdfast compare [--servers WHERE] [--json] [--out DIR] [--seed N] [how hard]

Runs the same work under each lock, and without one, while faults strike; prints
what was lost and what it cost, and writes DIR/report.json.

  --servers embedded   in the simulator, no server needed (default)
  --servers local      starts its own redis-server on loopback, with real processes
  --servers auto       embedded, and local too where redis-server is installed
  --servers own        the server that HOLDFAST_URL or HOLDFAST_CONFIG names
  --servers X          a URL (redis://…) or a configuration file; only keys in a
                       namespace of its own are touched
  --json               prints the report as JSON on stdout
  --out DIR            where to write it; default out/compare
  --seed N             which schedules the simulator plays; default 1

How hard it tries, with defaults:
  --schedules 400      per cell, in the simulator
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
