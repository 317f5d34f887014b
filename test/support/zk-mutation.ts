import { ZK_MUTANTS } from '../broken/mutants/zk.ts';
import type { Mutation } from './bundle.ts';

/** Returns a mutant that the simulator detects, for real servers: made from one text, so that the two cannot drift apart. */
export function zkMutation(name: string): Mutation {
  const mutant = ZK_MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`no mutant of zk is named ${name}`);
  const { file, find, replace } = mutant;
  return { file: `zk/src/${file}`, find, replace };
}
