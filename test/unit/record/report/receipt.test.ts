import { expect, test } from 'vitest';
import { MARKDOWN, PAGE } from '../../../../src/record/report/medium.ts';
import { receiptBlock, receiptOf, receiptSentence } from '../../../../src/record/report/receipt.ts';
import type { StepReport } from '../../../../src/record/report/report.ts';

const step = (index: number, over: Partial<StepReport>): StepReport => ({
  index,
  name: `step ${index}`,
  status: 'succeeded',
  startedAt: 1,
  lines: 10,
  bytes: 1_000,
  cloud: { sent: 10, undelivered: 0 },
  ...over,
});
const receipt = (...steps: StepReport[]) =>
  receiptOf({ outcome: 'succeeded', message: '', forwarded: [], notices: [], steps });

test('the receipt sums what was written, what Pulumi Cloud took and what it did not', () => {
  const whole = receipt(step(0, {}), step(1, {}))!;
  expect(receiptSentence(whole)).toBe('20 lines (2 KiB), all delivered to Pulumi Cloud');
  const partly = receipt(step(0, {}), step(1, { cloud: { sent: 7, undelivered: 3 } }))!;
  expect(partly).toMatchObject({ lines: 20, bytes: 2_000, sent: 17, undelivered: 3, lost: 0 });
  expect(receiptSentence(partly)).toBe('20 lines (2 KiB): 17 delivered to Pulumi Cloud, 3 not delivered');
});

test('the receipt claims nothing about lines that are not accounted for', () => {
  const { cloud: _, ...unknown } = step(1, {});
  expect(receipt(step(0, {}), unknown)).toBeUndefined();
  expect(receiptBlock(receipt(step(0, {}), unknown), MARKDOWN)).toBe('');
  expect(receiptBlock(receipt(), MARKDOWN)).toBe('');
  const short = receipt(step(0, { cloud: { sent: 9, undelivered: 0 } }))!;
  expect(receiptSentence(short)).not.toContain('all');
});

test('the receipt lists each step’s calls and file hash, if they are recorded', () => {
  const sha256 = 'ab'.repeat(32);
  const cloud = { sent: 10, undelivered: 0, batches: 3, retries: 2, failures: 4 };
  const block = receiptBlock(
    receipt(step(0, { cloud, sha256 }), step(1, { cloud: { ...cloud, retries: 0, failures: 0 } })),
    PAGE,
  );
  expect(block).toContain(
    `>3, 4 failed, 2 repeated</td><td data-title="SHA-256 of the file"><code>${sha256}</code></td>`,
  );
  expect(block).toContain('<td data-title="Calls">3</td><td></td>');
  expect(receiptBlock(receipt(step(0, { cloud, sha256 })), MARKDOWN)).not.toContain('SHA-256');
  // Another agent's calls aren't known, which is not the same as none.
  expect(receiptBlock(receipt(step(0, {})), MARKDOWN)).toContain('<td>10</td><td>0</td><td></td></tr>');
});

test('the receipt lists lost lines if there are any, and is open when something is missing', () => {
  const block = receiptBlock(receipt(step(0, {}), step(1, { lost: 4 })), MARKDOWN);
  expect(block).toMatch(
    /^<details open><summary>Log receipt: 20 lines .*; 4 lines lost: the disk could not hold them</,
  );
  expect(block).toContain('<th>Lost</th>');
  expect(block).toContain('<td>10</td><td>0</td><td>4</td><td></td></tr>');
  expect(receiptBlock(receipt(step(0, {}), step(1, { lost: 0 })), MARKDOWN)).toMatch(
    /^<details><summary>(?!.*lost)/i,
  );
  expect(receiptBlock(receipt(step(0, { cloud: { sent: 9, undelivered: 1 } })), MARKDOWN)).toMatch(
    /^<details open>/,
  );
});
