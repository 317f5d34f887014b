import { describeExit } from './redis-node-exit.ts';

// iovalkey, which keeps a process alive as ioredis does, is played in the deep run.
for (const library of ['ioredis', 'redis'] as const) describeExit(library);
