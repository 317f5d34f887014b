import { readdirSync, readFileSync } from 'node:fs';

interface Link {
  readonly text: string;
  readonly link: string;
}

interface Group {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: Link[];
}

/** The first heading of a page. */
function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('`', '') ?? file;
}

/** All pages of a folder of `docs/`, its own page first, then in the order of their files. */
function folder(root: string, name: string): Link[] {
  const files = readdirSync(`${root}/docs/${name}`).filter((file) => file.endsWith('.md'));
  const own = files.filter((file) => file === 'README.md');
  return [...own, ...files.filter((file) => file !== 'README.md').toSorted()].map((file) => ({
    text: titleOf(`${root}/docs/${name}/${file}`),
    link: `/${name}/${file === 'README.md' ? '' : file.replace(/\.md$/, '')}`,
  }));
}

/** The one sidebar: seven groups, in the order in which a newcomer needs them. */
export function sidebar(root: string): Group[] {
  const start = folder(root, 'start');
  const choosing = start.filter(({ link }) => link.endsWith('/choosing'));
  return [
    {
      text: 'Start',
      items: [
        { text: 'Playground', link: '/playground' },
        ...start.filter((each) => !choosing.includes(each)).toReversed(),
      ],
    },
    { text: 'Choose', items: [...choosing, ...folder(root, 'backends')] },
    { text: 'Guides', items: folder(root, 'guides') },
    {
      text: 'Learn',
      collapsed: false,
      items: [{ text: 'The debate, played', link: '/debate' }, ...folder(root, 'lessons')],
    },
    {
      text: 'Reference',
      collapsed: true,
      items: [{ text: 'API', link: '/api' }, ...folder(root, 'reference')],
    },
    {
      text: 'Evidence',
      collapsed: true,
      items: [
        ...folder(root, 'evidence'),
        { text: 'Track record', link: '/track-record' },
        { text: 'Sample report', link: '/sample-report/' },
        ...folder(root, 'testing'),
      ],
    },
    {
      text: 'Inside',
      collapsed: true,
      items: [
        { text: 'Architecture', link: '/inside/architecture' },
        { text: 'Contributing', link: '/inside/contributing' },
        { text: 'Changelog', link: '/inside/changelog' },
        { text: 'Security', link: '/inside/security' },
        ...folder(root, 'decisions'),
      ],
    },
  ];
}
