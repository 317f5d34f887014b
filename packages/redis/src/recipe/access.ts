import { ConfigError } from '@holdfast/core';
import { keyPrefix } from './key-prefix.ts';
import { isUnknownCommand } from './lock-errors.ts';
import { aclLine, type Denial, type Rights } from './rights.ts';

/** Where something is denied, for messages. */
interface DeniedAt {
  readonly backend: string;
  readonly address: string;
  readonly namespace: string;
}

/**
 * Returns the warning about a command without which locking works, less well.
 * @throws ConfigError if nothing can be locked: what is denied, and the line that an administrator adds
 */
export function rejectDenied(denied: readonly Denial[], rights: Rights, at: DeniedAt): string {
  const { backend, address, namespace } = at;
  const { command: spared, without } = rights.optional ?? {};
  const needed = denied.filter(({ command }) => command !== spared);
  const message = reason(needed.length > 0 ? needed : denied, rights, namespace);
  if (needed.length === 0) return `${address} ${message}; without it, ${without}`;
  throw new ConfigError(`${backend}: ${address} ${message}`, { backend });
}

function reason(denied: readonly Denial[], rights: Rights, namespace: string): string {
  const lacking = new Set(
    denied.flatMap((each) => (isUnknownCommand(each.why) ? each.command : [])),
  );
  if (lacking.size > 0)
    return `lacks commands that locks need, or has renamed them: ${[...lacking].join(', ')}`;
  return `does not permit its user all that locks need: ${shown(denied, namespace)}; add ${aclLine(rulesOf(denied, rights, namespace))}`;
}

/** What scripts may call is unknown if none may run, so the line then has everything. */
function rulesOf(denied: readonly Denial[], rights: Rights, namespace: string): readonly string[] {
  const rules = denied.map((each) => ruleOf(each, namespace));
  const { scripted = [], optional } = rights;
  if (!denied.some(({ command }) => command === 'eval')) return rules;
  const channels = optional === undefined ? [] : [pattern('&', namespace), `+${optional.command}`];
  const commands = ['eval', 'evalsha', ...scripted].map((command) => `+${command}`);
  return [pattern('~', namespace), ...channels, ...commands];
}

function ruleOf({ command, why }: Denial, namespace: string): string {
  if (/\bkeys?\b/.test(why)) return pattern('~', namespace);
  return /\bchannels?\b/.test(why) ? pattern('&', namespace) : `+${command}`;
}

function pattern(kind: '~' | '&', namespace: string): string {
  const [prefix = ''] = keyPrefix(namespace, '').split('{');
  return `${kind}${prefix}*`;
}

function shown(denied: readonly Denial[], namespace: string): string {
  const names = denied.map((each) => {
    const rule = ruleOf(each, namespace);
    if (rule.startsWith('+')) return rule.slice(1);
    return `${rule.startsWith('~') ? 'keys' : 'channels'} ${rule.slice(1)}`;
  });
  return [...new Set(names)].join(', ');
}
