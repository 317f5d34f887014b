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
    const text = code.textContent ?? '';
    const [, story] = /^npx holdfast replay ([\w-]+)$/.exec(text) ?? [];
    const [, exercise] = /^docs\/lessons\/exercises\/([\w-]+)\.js$/.exec(text) ?? [];
    const isLast = code.nextElementSibling === null;
    if (story !== undefined && isLast) addButton(code, '▶ Play it here', { story });
    if (exercise !== undefined && isLast) addButton(code, '✎ Solve it here', { exercise });
  }
}

type Shown = Pick<Parameters<typeof Play.mount>[1], 'story' | 'exercise'>;

/** A button behind the paragraph of some code, which shows it in place. */
function addButton(code: HTMLElement, label: string, shown: Shown): void {
  const paragraph = code.parentElement;
  const button = document.createElement('button');
  button.textContent = label;
  button.className = 'play-here';
  button.addEventListener(
    'click',
    () => {
      const place = document.createElement('div');
      (shown.exercise === undefined ? paragraph : button)?.after(place);
      button.disabled = true;
      void mountIn(place, shown);
    },
    { once: true },
  );
  button.style.cssText =
    'padding:2px 12px;border:1px solid var(--vp-c-brand-1);border-radius:6px;color:var(--vp-c-brand-1)';
  if (shown.exercise === undefined) {
    button.style.marginLeft = '12px';
    code.after(button);
  } else paragraph?.after(button);
}

async function mountIn(place: HTMLElement, shown: Shown = {}): Promise<void> {
  const base = new URL(withBase('/play/play.js'), location.href).href;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle of that very file
  const { mount } = (await import(/* @vite-ignore */ base)) as typeof Play;
  place.style.setProperty('--paper', 'var(--vp-c-bg)');
  mount(place, { base, ...shown });
}

export default theme;
