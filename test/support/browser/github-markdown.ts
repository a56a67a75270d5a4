import { fileURLToPath } from 'node:url';
import { fromHtml } from 'hast-util-from-html';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { WatchedPage } from './browser.ts';

const MERMAID = fileURLToPath(import.meta.resolve('@mermaid-js/tiny'));

/** GitHub's fonts, sizes and colours, as far as they decide what fits and what can be read. */
const STYLE = `
  body { font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; max-width: 980px; padding: 16px }
  p, table, details, ul, pre { margin: 0 0 16px } table { border-collapse: collapse; display: block; overflow: auto } th, td { border: 1px solid #d1d9e0; padding: 6px 13px }
  code, pre { font: 13.6px monospace; background: #eff1f3; border-radius: 6px } code { padding: .2em .4em }
  pre { padding: 16px; overflow: auto; line-height: 1.45 } h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: .3em }
  @media (prefers-color-scheme: dark) {
    body { background: #0d1117; color: #f0f6fc } a { color: #4493f8 } code, pre { background: #262c36 } th, td, h2 { border-color: #3d444d }
  }`;

/** Turns Markdown into HTML as GitHub does: GFM, then only what its sanitizer lets through. */
export function githubHtml(markdown: string): string {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  return toHtml(sanitize(fromHtml(html, { fragment: true }), defaultSchema));
}

/**
 * Shows Markdown as GitHub does, with its Mermaid fences drawn, in place of the page's content. Throws Mermaid's error
 * for a fence that it can't read.
 */
export async function showMarkdown(
  { page }: Pick<WatchedPage, 'page'>,
  markdown: string,
  theme: 'default' | 'dark' = 'default',
): Promise<void> {
  if (!(await page.evaluate("'mermaid' in globalThis"))) {
    await page.setContent(
      `<!doctype html><html lang="en"><meta charset="utf-8"><style>${STYLE}</style><body></body></html>`,
    );
    await page.addScriptTag({ path: MERMAID });
  }
  await page.evaluate(`(async () => {
    mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: '${theme}' });
    document.body.innerHTML = ${JSON.stringify(githubHtml(markdown))};
    let count = 0;
    // A chart in what is folded away would have no width to be drawn in.
    const folded = [...document.querySelectorAll('details:not([open])')];
    for (const box of folded) box.open = true;
    for (const fence of [...document.querySelectorAll('pre > code.language-mermaid')]) {
      const chart = document.createElement('div');
      chart.className = 'mermaid';
      fence.parentElement.replaceWith(chart);
      const { svg } = await mermaid.render('chart' + count++, fence.textContent, chart);
      chart.innerHTML = svg;
    }
    for (const box of folded) box.open = false;
  })()`);
}
