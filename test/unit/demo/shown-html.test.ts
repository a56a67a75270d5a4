import { describe, expect, it } from 'vitest';
import { normalised } from '../../../demo/pictures/shown-html.ts';

const TICK = '<line x1="10%"></line><text class="tick odd" x="10%">2 s</text>';

describe('what a picture shows', () => {
  it.each([
    ['durations', 'took 9.8 s (1m3s, 250 ms, 2 min 4 s)', 'took 11 s (59s, 1.2 s, 1 min 50 s)'],
    [
      'times',
      'began 2026-11-29 01:37:41 UTC, 2026-11-29T01:37:41.123Z',
      'began 2026-12-01 23:00:00 UTC, 2026-12-01T00:00:00.001Z',
    ],
    ['IDs', 'f06635df-ad65-4820-a3a4-e988c019eaab', '7a1c52d0-5f0e-4c1b-9d3e-b1f3c06f2a44'],
    [
      'artifacts',
      'pulumi-runner-network-prod-1-deploy-1-6bc89c',
      'pulumi-runner-network-prod-1-deploy-1-abcdef',
    ],
    ['digests and commits', `sha256:${'0a'.repeat(32)} 77bd19f3`, `sha256:${'b7'.repeat(32)} ff53de0d`],
    ['sizes and counts of lines', '63 lines (1.8 KiB), 1 line, 12.5 kB', '61 lines (950 B), 2 lines, 1.0 kB'],
    ['addresses', 'http://172.17.0.1:40123/a', 'http://127.0.0.1:9/a'],
    [
      'places along the axis of time',
      `<svg>${TICK}${TICK}<rect x="1.2%" y="5" width="7.345%"></rect></svg>`,
      `<svg>${TICK}<rect x="22%" y="5" width="0.4%"></rect></svg>`,
    ],
  ])('is the same for other %s', (_, one, other) => {
    expect(normalised(`<p>${one}</p>`)).toBe(normalised(`<p>${other}</p>`));
  });

  it.each([
    ['word', '<p>4 created</p>', '<p>5 created</p>'],
    ['place down the page', '<svg><rect y="5"></rect></svg>', '<svg><rect y="6"></rect></svg>'],
    ['class', '<p class="good">a</p>', '<p class="bad">a</p>'],
    ['link', '<a href="https://example.com/a">a</a>', '<a href="https://example.com/b">a</a>'],
    ['number', '<td>255</td>', '<td>1</td>'],
    ['shape', '<svg><path d="M5 5m0-5"></path></svg>', '<svg><path d="M5 7m0-5"></path></svg>'],
  ])('is another with another %s', (_, one, other) => {
    expect(normalised(one)).not.toBe(normalised(other));
  });
});
