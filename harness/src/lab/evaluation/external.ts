import type { Column } from '../../draw/index.ts';
import { columnNamed } from '../../locks/index.ts';
import type { Opening } from '../../real/index.ts';
import type { Verb } from '../../simulator/index.ts';
import { deploymentsServing, type LabDeployment } from './deployments.ts';

/** A lock in any language, as a command that speaks the lines of docs/testing/external.md. */
export interface ExternalLock {
  readonly command: string;
  /** The column on whose servers it is tested. */
  readonly on: string;
}

/** The column of an external lock. */
export const EXTERNAL = 'external';

function externalColumn({ command, on }: ExternalLock): Column {
  return { id: EXTERNAL, backend: EXTERNAL, meaning: `${command}, on the servers of ${on}` };
}

/** A column of this run: that of the external lock, or a registered one. */
export function columnOf(id: string, external: ExternalLock | undefined): Column {
  return id === EXTERNAL && external !== undefined ? externalColumn(external) : columnNamed(id);
}

const NO_LOOP =
  'only an event loop of our own can be blocked; pause stops an external command whole';

/** The deployments of the column whose servers it uses, with the command as their lock. */
export function externalDeployments({ command, on }: ExternalLock): readonly LabDeployment[] {
  const service = (servers: readonly string[]): Opening => ({
    backend: EXTERNAL,
    command,
    servers,
  });
  return deploymentsServing(on, service).map((deployment) => ({
    ...deployment,
    // The locks of an ensemble watch it on their one connection; the others poll.
    lock: { renews: true, ...(deployment.isEnsemble && { notifiedOn: 'open' }) },
    verbs: deployment.verbs.filter((verb) => verb !== BLOCK),
    lacks: { ...deployment.lacks, [BLOCK]: NO_LOOP },
  }));
}

const BLOCK: Verb = 'block';

/** How it was tested and judged. */
export function externalNotes({ command, on }: ExternalLock): readonly string[] {
  return [
    `${EXTERNAL} is the command ${command}, on the servers of ${on}`,
    `${EXTERNAL} claims no validity, so the order at the resource alone judges it: broken if a write followed the read of another holder, late if one of the two was paused, or its write was held back`,
  ];
}
