import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/** A library has this script: in full or by its digest, it is called `name` in anchors and traces. */
export function learnScript(name: string, source: string): void {
  names.set(source, name).set(createHash('sha1').update(source).digest('hex'), name);
}

/** What a command is called in rules, anchors and traces. */
export function labelOf([command = '', script = '']: readonly string[]): string {
  const name = command.toUpperCase();
  if (name !== 'EVAL' && name !== 'EVALSHA') return name;
  return names.get(script) ?? name;
}
