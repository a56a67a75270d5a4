import { expect, it } from 'vitest';
import { useBrowser } from '../../support/browser/browser.ts';
import { showMarkdown } from '../../support/browser/github-markdown.ts';
import { PAGES, read, snippetsOf } from '../../support/documents/pages.ts';

const browser = useBrowser();
const drawn = PAGES.flatMap((page) => snippetsOf(read(page), 'mermaid').map((text) => ({ page, text })));

/** How much wider than GitHub's column a picture may be before its text is too small to read. */
const WIDEST = 980 * 1.25;

it.each(['default', 'dark'] as const)(
  'the pages’ Mermaid pictures are drawn in the theme %s, without an error, and fit the page',
  async (theme) => {
    expect(drawn.length).toBeGreaterThan(3);
    const watched = await browser.open();
    await watched.page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
    for (const { page, text } of drawn) {
      await showMarkdown(watched, `\`\`\`mermaid\n${text}\`\`\``, theme);
      const picture = watched.page.locator('.mermaid svg');
      expect(await picture.count(), page).toBe(1);
      const [, , width = '0'] = ((await picture.getAttribute('viewBox')) ?? '').split(' ');
      expect(Number(width), page).toBeGreaterThan(100);
      expect(Number(width), page).toBeLessThan(WIDEST);
      const folder = process.env['PICTURES'];
      if (folder !== undefined)
        await picture.screenshot({ path: `${folder}/${page.replaceAll('/', '-')}-${theme}.png` });
    }
    expect(watched.complaints).toEqual([]);
  },
);
