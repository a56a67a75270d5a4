import type { Page } from 'playwright-core';

/**
 * What a page shows, as text that two equal runs share: its styles and its body, without scripts and without what is
 * folded or hidden; what differs from run to run is replaced by placeholders.
 */
export async function shownHtml(page: Page): Promise<string> {
  const { styles, body } = await page.evaluate<{ styles: string; body: string }>(`(() => {
    const body = document.body.cloneNode(true);
    for (const box of body.querySelectorAll('details:not([open])')) {
      for (const node of [...box.childNodes]) if (node.localName !== 'summary') node.remove();
    }
    for (const each of body.querySelectorAll('script, noscript, template, [hidden]')) each.remove();
    const styles = [...document.head.querySelectorAll('style')].map(({ textContent }) => textContent);
    return { styles: styles.join('\\n'), body: body.outerHTML };
  })()`);
  return `${styles}\n${normalised(body)}\n`;
}

const DURATION = String.raw`\d+(?:\.\d+)? ?(?:ms|s|min|m|h)(?![A-Za-z])`;

/** The texts that differ from run to run, and their placeholders. The first that matches wins. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}'],
  [/(pulumi-runner-[\w-]+-)[0-9a-f]{6}(?![\w-])/g, '$1{id}'],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)?)?/g, '{time}'],
  [/(?<![\w:])\d\d:\d\d:\d\d(?:\.\d+)?(?![\w:])/g, '{time}'],
  // A digest, a commit or a number that a service gave.
  [/(?<![\w#])(?=[a-f]*\d)[0-9a-f]{7,64}(?!\w)/g, '{id}'],
  // This machine, as its jobs see it, with a port.
  [/(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|host\.docker\.internal):\d+/g, '{address}'],
  [new RegExp(String.raw`(?<![\w.])${DURATION}(?: ?${DURATION})*(?![\w-])`, 'g'), '{duration}'],
  [/(?<![\w.])\d+(?:\.\d+)? ?(?:B|kB|MB|GB|KiB|MiB|GiB)(?!\w)/g, '{size}'],
  [/(?<![\w.])\d+ lines?(?!\w)/g, '{number} lines'],
  [/(?<![\w.])\d+ of \d+ snapshots(?!\w)/g, '{number} snapshots'],
];

/** The HTML with a placeholder for each text that differs from run to run, and for nothing else. */
export function normalised(html: string): string {
  const text = html.replace(/<svg\b.*?<\/svg>/gs, normalisedPicture);
  return PLACEHOLDERS.reduce((left, [pattern, placeholder]) => left.replaceAll(pattern, placeholder), text);
}

/** An SVG without places along the axis of time, and without its ticks, whose number depends on the time too. */
function normalisedPicture(svg: string): string {
  return svg
    .replace(/(?:<line\b[^>]*><\/line><text class="tick\b[^>]*>[^<]*<\/text>)+/g, '{ticks}')
    .replace(/ (x|width)="[\d.]+%"/g, ' $1="{place}"');
}
