import { belief, mutualExclusion, resource } from '@holdfast/check';
import type { HistoryEvent, Verdict } from '@holdfast/core';
import { Recorder, World } from '@holdfast/sim';
import { type Arena, Client } from './client.ts';
import type { Core } from './core.ts';
import { Resource } from './resource.ts';
import { type ClientId, type Fault, type Schedule, TTL_MS } from './schedule.ts';

/** What a run came to. */
export interface Played {
  readonly history: readonly HistoryEvent[];
  readonly validity: Verdict;
  readonly belief: Verdict;
  readonly fenced: Verdict;
  /** Timers and renewals that outlive a lease, and operations that never end. */
  readonly complaints: readonly string[];
  /** Whether somebody died, or stood still past the ttl, while one client held the key and another waited for it. */
  readonly matters: boolean;
}

/** Plays a schedule against a core, on virtual time, with the store behind messages that take time. */
export async function play(
  core: Core,
  schedule: Schedule,
  options: { readonly guard?: boolean } = {},
): Promise<Played> {
  const world = new World({ trace: false, maxEvents: 20_000, ...options });
  const recorder = new Recorder(world);
  const { runtime } = world.process('store');
  const arena: Arena = {
    world,
    recorder,
    resource: new Resource(recorder),
    store: new core.MemoryStore(() => runtime.now().monotonicMs),
    latencyMs: schedule.latencyMs,
  };
  const clients = new Map<ClientId, Client>();
  for (const { client } of schedule.ops)
    if (!clients.has(client)) clients.set(client, new Client(client, arena));
  for (const client of clients.values()) await client.open(core);

  let matters = false;
  const struck = (): void => {
    matters ||= isContended([...clients.values()]);
  };
  for (const fault of schedule.faults) arm(fault, clients.get(fault.client), arena, struck);
  for (const op of schedule.ops) clients.get(op.client)?.start(op);
  await world.settle();

  const history = recorder.history();
  return {
    history,
    validity: mutualExclusion(history),
    belief: belief(history),
    fenced: resource(history, { fenced: true }),
    complaints: [...clients.values()].flatMap(complaintsOf),
    matters,
  };
}

/** A fault to a client that does nothing is none. */
function arm(fault: Fault, client: Client | undefined, arena: Arena, struck: () => void): void {
  if (client === undefined) return;
  const { world, recorder } = arena;
  const { process } = client;
  const strike = (stand: (ms: number) => void): void => {
    if (process.crashed) return;
    // A pause within the ttl is no more than a slow step.
    if (fault.kind === 'crash' || fault.ms > TTL_MS) struck();
    if (fault.kind === 'crash') {
      recorder.crashed(process);
      process.crash();
    } else {
      recorder.paused(process, fault.ms);
      stand(fault.ms);
    }
  };
  const { when } = fault;
  // In the step of a call the process itself is what runs, and what follows in that step comes after the pause.
  const block = (ms: number): void => process.block(ms);
  if ('atMs' in when) world.at(when.atMs, () => strike((ms) => process.pause(ms)));
  else if ('before' in when) process.anchor('before', when.before, when.n, () => strike(block));
  else process.anchor('after', when.after, when.n, () => strike(block));
}

function isContended(clients: readonly Client[]): boolean {
  const alive = clients.filter(({ process }) => !process.crashed);
  return alive.some(
    (holder) => holder.holding > 0 && alive.some((other) => other !== holder && other.waiting > 0),
  );
}

function complaintsOf({ process, active, complaints }: Client): readonly string[] {
  if (process.crashed || active === 0) return complaints;
  return [...complaints, `an operation of ${process.name} never ended`];
}
