import { ConfigError } from '@holdfast/core';
import { BACKENDS } from './built-in.ts';

/** They come with the harness, where that is installed. */
const EXHIBITS = '@holdfast/harness/exhibits';

interface ExhibitsModule {
  readonly EXHIBITS: readonly { readonly name: string; readonly flaw: string }[];
}

/** @throws ConfigError for a lock that is kept to be shown, naming the one to use */
export async function rejectExhibit(name: string): Promise<void> {
  // Loaded only for a name that is none of ours: nobody who locks needs it.
  const { EXHIBITS: exhibits }: ExhibitsModule = await import(EXHIBITS).catch(() => ({
    EXHIBITS: [],
  }));
  const exhibit = exhibits.find((each) => each.name === name);
  if (exhibit === undefined) return;
  throw new ConfigError(
    `"${name}" is an exhibit, kept to be shown and not to be used: ${exhibit.flaw}. Use ${suggestedBackend()}.`,
    { backend: name },
  );
}

/** What each of them was meant to be: the lock that a plain Redis URL stands for. */
function suggestedBackend(): string {
  return BACKENDS.find(({ schemes }) => Object.hasOwn(schemes, 'redis'))?.name ?? '';
}
