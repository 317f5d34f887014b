import { type Theme, useRoute, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';
import type * as Play from '../../src/play.ts';

const theme: Theme = {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(() => {
      // The switch of the site decides, not the system.
      document.documentElement.dataset['colours'] = 'class';
      enliven();
      watch(
        () => route.path,
        () => void nextTick(enliven),
      );
    });
  },
};

/** Puts the playground onto its page, and a button beside every story that a page says how to replay. */
function enliven(): void {
  const place = document.querySelector<HTMLElement>('#holdfast-play');
  if (place !== null && place.shadowRoot === null) void mountIn(place);
  for (const code of document.querySelectorAll<HTMLElement>('.vp-doc p > code')) {
    const [, name] = /^npx holdfast replay ([\w-]+)$/.exec(code.textContent ?? '') ?? [];
    if (name !== undefined && code.nextElementSibling === null) code.after(playButton(code, name));
  }
}

function playButton(code: HTMLElement, story: string): HTMLElement {
  const button = document.createElement('button');
  button.textContent = '▶ Play it here';
  button.className = 'play-here';
  button.addEventListener(
    'click',
    () => {
      const place = document.createElement('div');
      code.parentElement?.after(place);
      button.disabled = true;
      void mountIn(place, story);
    },
    { once: true },
  );
  button.style.cssText =
    'margin-left:12px;padding:2px 12px;border:1px solid var(--vp-c-brand-1);border-radius:6px;color:var(--vp-c-brand-1)';
  return button;
}

async function mountIn(place: HTMLElement, story?: string): Promise<void> {
  const base = new URL(withBase('/play/play.js'), location.href).href;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle of that very file
  const { mount } = (await import(/* @vite-ignore */ base)) as typeof Play;
  place.style.setProperty('--paper', 'var(--vp-c-bg)');
  mount(place, { base, ...(story === undefined ? {} : { story }) });
}

export default theme;
