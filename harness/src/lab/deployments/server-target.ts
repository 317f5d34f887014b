import type { ServerTarget } from '../../simulator/index.ts';

/** The servers of one ensemble, for {@link targetsIn}. */
export interface EnsembleServers<Server> {
  readonly all: readonly Server[];
  /** Those that earlier steps hit. */
  readonly affected: ReadonlySet<Server>;
  readonly leader: () => Promise<Server | undefined>;
}

/** The servers of an ensemble that a step names. @throws Error if it names the leader, and there is none */
export async function targetsIn<Server>(
  { all, affected, leader }: EnsembleServers<Server>,
  which: ServerTarget,
): Promise<readonly Server[]> {
  if (which === 'all') return all;
  if (which === 'affected') return [...affected];
  if (typeof which !== 'string') return which.flatMap((place) => all[place] ?? []);
  const leading = await leader();
  if (leading === undefined) throw new Error('the ensemble has no leader');
  const followers = all.filter((server) => server !== leading);
  if (which === 'leader') return [leading];
  const others = Math.floor(all.length / 2);
  return which === 'follower' ? followers.slice(0, 1) : [leading, ...followers.slice(0, others)];
}
