import { ConfigError } from '@holdfast/core';

/** What each of them was meant to be. */
const INSTEAD = 'redis-simple';

/** @throws ConfigError for a lock that is kept to be shown, naming the one to use */
export async function refuseExhibit(name: string): Promise<void> {
  // Loaded only for a name that is none of ours: nobody who locks needs it.
  const { EXHIBITS } = await import('@holdfast/exhibits');
  const exhibit = EXHIBITS.find((each) => each.name === name);
  if (exhibit === undefined) return;
  throw new ConfigError(
    `"${name}" is an exhibit, kept to be shown and not to be used: ${exhibit.flaw}. Use ${INSTEAD}.`,
    { backend: name },
  );
}
