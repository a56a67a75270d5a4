/** A Markdown page without its fenced blocks. */
export function withoutFences(markdown: string): string {
  return markdown.replace(/^( *)(```|~~~)[\s\S]*?^\1\2 *$/gm, '');
}

/** The texts of a page's headings, in order, without the markup of code and links. */
export function headingsOf(markdown: string): string[] {
  return [...withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, text = '']) =>
    text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''),
  );
}

/**
 * The anchors of a page: its own ones, then those that GitHub gives its headings. There, only letters, digits, marks,
 * underscores, hyphens and blanks stay, blanks become hyphens, and repeats get a number (as in github-slugger).
 */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>();
  const given = [...withoutFences(markdown).matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);
  const ofHeadings = headingsOf(markdown).map((heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replace(/ /g, '-');
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  });
  return [...given, ...ofHeadings];
}

/** The targets of a page's links, images and HTML attributes, except absolute URLs. */
export function linksOf(markdown: string): string[] {
  const text = withoutFences(markdown).replace(/`[^`\n]+`/g, '');
  const found = [
    ...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...text.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
    ...text.matchAll(/\s(?:href|src|srcset)="([^"\s]+)"/g),
  ];
  return found.map(([, target = '']) => target).filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}
