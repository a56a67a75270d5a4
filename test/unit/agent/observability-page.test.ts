import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { METRICS, type MetricName, metricOf } from '../../../src/agent/health/metric-table.ts';
import { KEYS } from '../../../src/config/schema.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/observability.md'), 'utf8');

function row(name: MetricName): string {
  const { type, labels = {}, help } = metricOf(name);
  const each = Object.entries(labels).map(([label, values]) =>
    values.length === 0 ? `\`${label}\`` : `\`${label}\`: ${values.map((value) => `\`${value}\``).join(' ')}`,
  );
  return `| \`${name}\` | ${type} | ${each.join('; ')} | ${help} |`;
}

it('lists every metric as it is', () => {
  const rows = (Object.keys(METRICS) as MetricName[]).map(row);
  const table = ['', '| Metric | Type | Labels | |', '|---|---|---|---|', ...rows, ''].join('\n');
  expect(page.split('<!-- metrics -->')[1]?.split('<!-- /metrics -->')[0]).toBe(table);
});

it('says the defaults that the keys have', () => {
  expect(page).toContain(`\`http_server_port\` (\`${KEYS.http_server_port.default}\``);
  expect(page).toContain(`\`syslog_socket\` (\`${KEYS.syslog_socket.default}\`)`);
  expect(page).toContain(
    `\`log_level\` (${KEYS.log_level.kind.words
      .split(' | ')
      .map((level) => `\`${level}\``)
      .join(', ')})`,
  );
  const key = /\b(?:log|syslog|health|http)_[a-z_]+\b/g;
  for (const [name] of page.matchAll(key)) expect(Object.keys(KEYS)).toContain(name);
});
