/** Output of a program as a page with a terminal's look. */

export interface TerminalText {
  /** The command, or where the output is seen. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The window's height in lines, of which it shows the last; as many as there are by default. */
  readonly rows?: number;
}

/** The height of a line, in CSS pixels. */
const LINE = 22;

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --back: #f6f8fa; --bar: #eaeef2; --line: #d1d9e0; --text: #1f2328; --dim: #59636e;
  --good: #1a7f37; --bad: #cf222e; --tell: #9a6700; --link: #0969da }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --back: #151b23; --bar: #212830; --line: #3d444d; --text: #f0f6fc; --dim: #9198a1;
  --good: #3fb950; --bad: #f85149; --tell: #d29922; --link: #4493f8 } }
body { margin: 0; padding: 16px; background: var(--page); color: var(--text) }
main { border: 1px solid var(--line); border-radius: 10px; background: var(--back); overflow: hidden }
h1 { margin: 0; padding: 8px 16px; background: var(--bar); border-bottom: 1px solid var(--line); color: var(--dim); font: 600 14px/20px ui-monospace, monospace; text-align: center }
pre { margin: 12px 18px; font: 15px/${LINE}px ui-monospace, monospace; overflow: hidden }
pre div { white-space: pre-wrap; overflow-wrap: anywhere; min-height: ${LINE}px; padding-left: 4ch; text-indent: -4ch }
b { font-weight: 600 } .good { color: var(--good) } .bad { color: var(--bad) } .tell { color: var(--tell) } .dim { color: var(--dim) }`;

/** The height of a page whose window has so many lines, in CSS pixels. */
export const terminalHeight = (rows: number): number => rows * LINE + 95;

/** The page's HTML; its height is that of the text, or of the rows. */
export function terminalHtml({ title, lines, rows }: TerminalText): string {
  const height = rows === undefined ? '' : `<style>pre { height: ${rows * LINE}px }</style>`;
  const text = lines.map((line) => `<div>${coloured(escaped(line))}</div>`).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${STYLE}</style>${height}</head><body><main><h1>${escaped(title)}</h1><pre>${text}</pre></main></body></html>`;
}

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A line with its sign in the sign's colour; titles are bold, what a prompt or a margin shows is dim. */
function coloured(line: string): string {
  if (line.startsWith('== ')) return `<b>${line}</b>`;
  const [, margin = '', sign = '', rest = ''] =
    /^(\s*[│┌├└]?\s*)([✓✔✗✘▸$]|error:|warning:|notice:)?(.*)$/su.exec(line) ?? [];
  const edge = margin.trim() === '' ? margin : `<span class="dim">${margin}</span>`;
  switch (sign) {
    case '✓':
    case '✔':
      return `${edge}<span class="good">${sign}</span>${rest}`;
    case '✗':
    case '✘':
    case 'error:':
      return `${edge}<span class="bad">${sign}</span>${rest}`;
    case 'warning:':
      return `${edge}<span class="tell">${sign}</span>${rest}`;
    case '▸':
    case '$':
      return `${edge}<span class="dim">${sign}</span><b>${rest}</b>`;
    default:
      return `${edge}${sign}${rest}`;
  }
}
