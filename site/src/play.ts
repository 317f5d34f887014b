import { App, type AppOptions } from './app.ts';

/**
 * Puts the playground into an element. Follows the colours of the system, or the class `dark` of a page that sets it.
 * @param base the folder of this file, where the worker and the stories are
 */
export function mount(
  element: HTMLElement,
  { base, ...shown }: { readonly base: string | URL } & Pick<AppOptions, 'story' | 'exercise'>,
): void {
  const options: AppOptions = {
    base,
    worker: new URL('worker.js', base),
    stories: new URL('stories/', base),
    ...shown,
  };
  followColours(element);
  void new App(element, options).start();
}

function followColours(element: HTMLElement): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const isOwn = root.dataset['colours'] === 'class';
  const update = (): void => {
    element.toggleAttribute('data-dark', isOwn ? root.classList.contains('dark') : system.matches);
  };
  update();
  system.addEventListener('change', update);
  if (isOwn) new MutationObserver(update).observe(root, { attributeFilter: ['class'] });
}
