import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import type { ActorClient } from './client.ts';
import type { ClientPause, Drift, HolderCrash } from './schedule.ts';
import type { Matters } from './strikes.ts';

/** A client's process stands still, its machine sleeps, or its wall clock jumps. */
export function strikeClient(arena: Arena, fault: ClientPause, index: number): void {
  const client = arena.clients.get(fault.client);
  if (client === undefined) return;
  aim(arena, fault.when, (by) => {
    if (!client.isAlive || client.isDone) return;
    // Once it has the lease it is a holder that stands still.
    if (fault.kind === 'pause-acquire' && (client.waiting === 0 || client.holding > 0)) return;
    const lasting = fault.kind === 'client-clock' ? 0 : fault.ms;
    const blow = { kind: fault.kind, fault: index, actors: [client.id] };
    arena.strikes.add(blow, lasting, mattersTo(arena, fault));
    ACTS[fault.kind](arena, client, fault.ms, by === client.id);
  });
}

/** Its process dies, and nothing is given back. */
export function strikeDead(arena: Arena, { when, client: id }: HolderCrash, index: number): void {
  const client = arena.clients.get(id);
  if (client === undefined) return;
  aim(arena, when, () => {
    if (!client.isAlive || client.isDone) return;
    const blow = { kind: 'holder-crash', fault: index, actors: [id] } as const;
    arena.strikes.add(blow, 0, () => arena.isHeldBy(id));
    arena.recorder.crashed(client.process);
    client.process.crash();
    arena.changed();
  });
}

/** A client's clocks run fast or slow from the start. */
export function strikeDrift(arena: Arena, fault: Drift & { client: string }, index: number): void {
  const client = arena.clients.get(fault.client);
  if (client === undefined) return;
  client.process.setDrift(fault.ppm);
  const blow = { kind: 'drift', fault: index, actors: [client.id] } as const;
  arena.strikes.add(blow, Number.POSITIVE_INFINITY, () => arena.isContended());
}

/** `inStep`: the process itself is what runs, and what follows in its step comes after the blow. */
type Act = (arena: Arena, client: ActorClient, ms: number, inStep: boolean) => void;

const stand: Act = ({ recorder }, { process }, ms, inStep) => {
  recorder.paused(process, ms);
  if (inStep) process.block(ms);
  else process.pause(ms);
};

const ACTS: Readonly<Record<ClientPause['kind'], Act>> = {
  pause: stand,
  'pause-acquire': stand,
  'loop-block': stand,
  suspend: ({ recorder }, { process }, ms) => {
    recorder.paused(process, ms);
    process.suspend(ms);
  },
  'client-clock': (_arena, { process }, ms) => process.jumpWall(ms),
};

/** A pause within the ttl is no more than a slow step. */
function mattersTo(arena: Arena, { kind, client, ms }: ClientPause): Matters {
  if (kind === 'client-clock') return () => arena.isContended();
  if (ms <= arena.schedule.ttlMs) return () => false;
  if (kind === 'pause-acquire') return () => arena.isSoughtBy(client);
  return () => arena.isHeldBy(client);
}
