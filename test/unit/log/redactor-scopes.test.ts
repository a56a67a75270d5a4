import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor, type SecretScope } from '../../../src/log/redactor.ts';

/** Few letters, so that secrets overlap, nest and are held by more than one. */
const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 9 });
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 60 });
const change = fc.record({ scope: fc.nat(3), values: fc.option(fc.array(secret, { maxLength: 3 })) });

/** Four scopes of a redactor and, kept by hand, what each of them holds. The first is the agent's own, which forgets nothing. */
function scopes(redactor: Redactor) {
  const all: { readonly scope: Pick<SecretScope, 'add'> & Partial<SecretScope>; held: string[] }[] = [
    { scope: redactor, held: [] },
    ...Array.from({ length: 3 }, () => ({ scope: redactor.scope(), held: [] })),
  ];
  return {
    apply: ({ scope: at, values }: { scope: number; values: string[] | null }) => {
      const changed = all[at]!;
      if (values === null) changed.scope.forget?.();
      else changed.scope.add(values);
      if (values !== null) changed.held.push(...values);
      else if (at > 0) changed.held = [];
    },
    held: () => all.flatMap(({ held }) => held),
  };
}

function fresh(values: readonly string[]): Redactor {
  const redactor = new Redactor();
  redactor.add(values);
  return redactor;
}

describe('scopes', () => {
  test('that come and go under a running stream uncover nothing that is held, and cover nothing that is not', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(change, text), { maxLength: 12 }), (rounds) => {
        const redactor = new Redactor();
        const { apply, held } = scopes(redactor);
        const stream = redactor.stream();
        for (const [next, said] of rounds) {
          apply(next);
          // No secret holds a line end, so that each round's text stands alone, whatever the stream keeps of the one before.
          const out = String(stream.push(Buffer.from(`\n${said}\n`)));
          expect(out).toBe(`\n${fresh(held()).text(said)}\n`);
        }
        expect(String(stream.end())).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('may forget while a stream holds their text: what is covered stays covered, and the rest is let go', () => {
    const redactor = fresh(['<job-secret>']);
    const job = redactor.scope();
    job.add(['job-secret', 'not yet whole']);
    const stream = redactor.stream();
    const push = (piece: string) => String(stream.push(Buffer.from(piece)));
    expect(push('a <job-secret')).toBe('a ');
    job.forget();
    expect(push('; not yet')).toBe('<***; not yet');
    expect(push(' whole') + String(stream.end())).toBe(' whole');
  });

  test('share one pass: a secret that holds the agent’s is hidden whole', () => {
    const redactor = fresh(['pul-token']);
    redactor.scope().add(['user:pul-token@host']);
    expect(redactor.text('https://user:pul-token@host/')).toBe('https://***/');
  });
});

test('of values that replace one another the latest are hidden, each said again as a new one', () => {
  const redactor = new Redactor();
  const token = redactor.recent(2);
  for (const value of ['token-1', 'token-2', 'token-1', 'token-3']) token(value);
  expect(redactor.text('token-1 token-2 token-3')).toBe('*** token-2 ***');
});
