import type { Mutation } from '../support/bundle.ts';
import type { Child } from '../support/child.ts';
import { CutEnsemble, eventsOf, type Ran, startHolder } from './zk-cut-ensemble.ts';

interface Cut {
  /** The times for which the holder uses its session, and then is paused, before it acquires the key. */
  readonly blocked?: { readonly afterMs: number; readonly ms: number };
  readonly mutation?: Mutation;
}

/** One client acquires the key at a follower, which is cut from its leader; another one waits for the key at the leader. */
export async function cutBetween({ blocked, mutation }: Cut): Promise<Ran> {
  const ensemble = await CutEnsemble.start();
  const holders: Child[] = [];
  try {
    const { leader, follower } = await ensemble.roles();
    const a = await startHolder('a', follower, mutation);
    holders.push(a);
    const b = await startHolder('b', leader, mutation);
    holders.push(b);
    await Promise.all([a.waitFor('open'), b.waitFor('open')]);
    a.send(blocked === undefined ? 'acquire' : `block ${blocked.afterMs} ${blocked.ms}`);
    await a.waitFor(blocked === undefined ? 'renewed' : 'granted');
    ensemble.cut(follower, leader);
    b.send('acquire');
    await b.waitFor('granted');
    const followerMode = await follower.mode();
    return { history: eventsOf([a, b]), followerMode };
  } finally {
    for (const holder of holders) holder.kill();
    await ensemble.close();
  }
}
