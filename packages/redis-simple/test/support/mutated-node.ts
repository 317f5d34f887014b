import type { RedisNode } from '@holdfast/redis/port';

/** Changes the source of one script on its way to the server. */
export interface Mutation {
  readonly script: string;
  readonly was: string;
  readonly is: string;
}

/** The node, on which one script is another one. */
export function mutated(node: RedisNode, mutation: Mutation | undefined): RedisNode {
  if (mutation === undefined) return node;
  return {
    address: node.address,
    command: (args, options) => node.command(args, options),
    subscribe: (channel, listener) => node.subscribe(channel, listener),
    close: () => node.close(),
    script: (script, keys, args, options) => {
      const { name, source } = script;
      if (name !== mutation.script) return node.script(script, keys, args, options);
      if (!source.includes(mutation.was)) throw new Error(`${name} has no ${mutation.was}`);
      const changed = { name, source: source.replace(mutation.was, mutation.is) };
      return node.script(changed, keys, args, options);
    },
  };
}
