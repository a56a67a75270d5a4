import { expect, test } from 'vitest';
import type { PlanReport } from '../../../src/record/plan-report.ts';
import { planSummary } from '../../../src/report/command-summaries.ts';

test('the summary of a plan is no way for markup to get in', () => {
  const evil = '<img src=x onerror=alert(1)>\n\n# heading | `code` ::error::';
  const started = {
    stack: `acme/${evil}/prod`,
    operation: evil,
    deploymentId: evil,
    consoleUrl: 'https://x/"><script>',
  };
  const report: PlanReport = {
    schema: 1,
    version: '1.2.3',
    outcome: 'failed',
    exitCode: 1,
    message: evil,
    started: [started, { ...started, assumed: true, consoleUrl: 'javascript:alert(1)' }],
    failed: [{ stack: evil, outcome: 'failed', message: evil }],
    queued: 2,
    count: 1,
    matrix: { include: [{ index: 0 }] },
    notices: [evil],
  };
  const text = planSummary(report);
  expect(text).not.toMatch(/<img|<script|javascript:/);
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['## Planned jobs']);
  expect(text).toContain('found; the answer was lost');
});
