import type { BackendUnderTest, Faults } from './subject.ts';

type Need = (subject: BackendUnderTest) => string | undefined;

/** The check needs these faults. */
export function needsFaults(...names: readonly (keyof Faults)[]): Need {
  return (subject) => {
    const missing = names.filter((name) => subject.faults?.[name] === undefined);
    return missing.length === 0 ? undefined : `the subject cannot ${missing.join(', ')}`;
  };
}

/** The check needs leases that end while their process keeps running. */
export const needsOutlive: Need = ({ capabilities, faults }) =>
  capabilities.lease === 'session' && faults?.outlive === undefined
    ? 'a session ends only by a fault, and the subject cannot outlive'
    : undefined;

/** The check is about leases of a session. */
export const needsSession: Need = ({ capabilities }) =>
  capabilities.lease === 'session' ? undefined : 'every lease has a ttl of its own';

/** The check is about a queue in the store. */
export const needsQueue: Need = ({ capabilities }) =>
  capabilities.queue === 'fifo' ? undefined : 'it has no queue';

/** The check is about a mode of holding beside others. */
export function needsMode(mode: 'shared' | 'permits'): Need {
  return ({ capabilities }) =>
    capabilities.modes?.includes(mode) === true ? undefined : `it has no mode '${mode}'`;
}
