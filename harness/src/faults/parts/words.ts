import type { When } from '../../sim/schedule/schedule.ts';

/** `, right before it writes`; empty if the moment is a time. */
export function anchor(when: When): string {
  if ('before' in when) return `, right before ${callOf(when.before)}`;
  if ('after' in when) return `, right after ${callOf(when.after)}`;
  return '';
}

/** The harness' own labels, in words. */
function callOf(label: string): string {
  const words: Readonly<Record<string, string>> = {
    now: 'it reads its clock',
    timer: 'it sets a timer',
    write: 'it writes',
    read: 'it reads',
  };
  return words[label] ?? `it sends ${label}`;
}

export function jump(ms: number): string {
  return `wall clock jumps ${Math.abs(ms)} ms ${ms < 0 ? 'back' : 'ahead'}`;
}

export function after(ms: number): string {
  return ms === 0 ? '' : ` after ${ms} ms`;
}

export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${count} ${noun}s`;
}
