import { ZK_MUTANTS } from '../broken/mutants/zk.ts';
import type { Mutation } from './bundle.ts';

/** A mistake that the simulator convicts, for real servers: made by the same text, lest the two drift apart. */
export function zkMutation(name: string): Mutation {
  const mutant = ZK_MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`no mutant of zk is named ${name}`);
  const { file, find, replace } = mutant;
  return { file: `zk/src/${file}`, find, replace };
}
