import fc from 'fast-check';
import { expect, it } from 'vitest';
import { syslogParts } from '../../../src/agent/logging/syslog-parts.ts';

it('cuts any text into parts that fit, tears no character, and loses none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 16, max: 80 }), (text, limit) => {
      const [first = '', ...others] = syslogParts(text, limit);
      for (const part of [first, ...others]) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit);
        expect(part.isWellFormed()).toBe(true);
      }
      for (const part of others) expect(part.startsWith('… ')).toBe(true);
      expect([first, ...others.map((part) => part.slice(2))].join('')).toBe(text);
    }),
  );
});

it('leaves a text that fits as it is, the empty one too', () => {
  expect([...syslogParts('', 16)]).toEqual(['']);
  expect([...syslogParts('x'.repeat(16), 16)]).toEqual(['x'.repeat(16)]);
});
