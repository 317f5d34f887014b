import type { EngineReply } from './reply.ts';

const LENGTH_MAX = 120;

/** A command for people: without the source or the digest of a script. */
export function describeCommand(args: readonly string[]): string {
  const isScript = args[0] === 'EVAL' || args[0] === 'EVALSHA';
  return shortened(args.slice(isScript ? 3 : 1).join(' '));
}

/** A reply for people. */
export function describeReply(reply: EngineReply): string {
  if (typeof reply === 'object' && reply !== null && 'error' in reply)
    return shortened(reply.error);
  return shortened(JSON.stringify(reply));
}

function shortened(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX - 1)}…` : text;
}
