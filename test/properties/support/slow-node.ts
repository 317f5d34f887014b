import type { Bench } from '../../../packages/redlock/test/support/bench.ts';
import type { VotingNode } from '../../../packages/redlock/test/support/voting-node.ts';

/** What one node answers to scripts of this name takes `ms` longer to arrive. */
export function slow(at: Bench, node: VotingNode | undefined, name: string, ms: number): void {
  if (node === undefined) throw new Error('there is no such node');
  const script = node.script.bind(node);
  node.script = async (named, keys, args, options) => {
    const reply = await script(named, keys, args, options);
    if (named.name === name) await new Promise<void>((done) => at.runtime.timer(ms, done));
    return reply;
  };
}
