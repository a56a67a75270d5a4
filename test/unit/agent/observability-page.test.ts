import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KEYS } from '../../../src/config/schema.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/observability.md'), 'utf8');

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
