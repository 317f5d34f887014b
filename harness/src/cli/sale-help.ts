export const SALE_HELP: string = `holdfast sale [--servers embedded|local] [--stock N] [--requests N] [--apps N] [--only STEP[,STEP]] [--with FILE] [--nodes N] [--json]

A shop sells one product to many users, through several processes: without a lock, under each
lock that people write before they have one that holds, and under those that hold. Each step
prints its result in one line, and the reason in a sentence.

  --servers embedded   in the simulator, in virtual time; the same every time (default)
  --servers local      with a redis-server of its own and real processes, and with three
                       ZooKeeper servers where ZooKeeper is installed
  --stock N            how many there are; default 300
  --requests N         how many are asked for, by up to 200 users at once; default 1000
  --apps N             how many processes sell; default 2
  --only STEP[,STEP]   only these: no-lock, check-decr, write-back, setnx-del, …, decr,
                       optimistic, striped, two-opposite, two-ordered; inside and conflicts
                       are charts
  --with FILE          under your lock, too: a file such as ./my-lock.js, or a package, in the
                       simulator (docs/testing/searching.md says what it exports); nothing is expected of it
  --nodes N            of redlock: 3 to 9; default 5
  --json               prints what came of it as JSON

Exit codes: 0 every flaw showed and nothing else failed, 1 otherwise, 2 usage error.`;
