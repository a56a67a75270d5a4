import { expect, it } from 'vitest';
import { configReference } from '../../../src/config/help.ts';
import { isOfficial, KEY_NAMES } from '../../../src/config/schema.ts';

const reference = configReference();
const [official = '', further = ''] = reference.split('Further keys:');

it('names every key once, under its heading', () => {
  for (const key of KEY_NAMES) expect((isOfficial(key) ? official : further).split('\n')).toContain(`  ${key}`);
});

it('gives type and default', () => {
  const entry = (key: string): string => reference.split(`\n  ${key}\n`)[1]?.split('\n')[0]?.trim() ?? '';
  expect(entry('polling_interval')).toBe('duration; default: 1m');
  expect(entry('health_threshold')).toBe(
    'duration; default: twice the longer of polling_interval and job_status_loop_interval',
  );
  expect(entry('max_wait')).toBe('duration; default: for ever');
  expect(entry('deploy_target')).toBe('docker | kubernetes; default: docker');
  expect(entry('enabled_workflow_types')).toBe('deployment, insights_scan, policy_evaluation; default: all');
  expect(entry('env_forward_allowlist')).toBe('list; default: empty');
  expect(entry('image')).toBe('word; environment: PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE');
  expect(entry('token')).toBe('secret');
});

it('fits a terminal', () => {
  for (const line of reference.split('\n')) {
    expect(line.length).toBeLessThanOrEqual(100);
    expect(line).toBe(line.trimEnd());
  }
});
