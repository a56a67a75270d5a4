import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../../../src/agent/job/admission.ts';
import { type Admission, rulesOf } from '../../../../src/base/config/allowed.ts';
import type { Identity } from '../../../../src/base/stack.ts';

const PROD: Identity = {
  ...{ organization: 'acme', project: 'network', stack: 'prod' },
  ...{ operation: 'update', version: 7, proven: true },
};
const lists = (stacks: string[], operations: string[] = []) => ({
  allowedStacks: stacks,
  allowedOperations: operations,
});
const isAdmitted = (identity: Identity | undefined, admission: Admission): boolean => {
  try {
    admit(identity, admission);
    return true;
  } catch {
    return false;
  }
};

describe('a deployment', () => {
  it('runs where no list is set, named or not', () => {
    for (const identity of [PROD, { ...PROD, proven: false }, undefined])
      expect(isAdmitted(identity, lists([]))).toBe(true);
  });

  it('runs where every list allows it', () => {
    expect(
      isAdmitted(PROD, { ...lists(['acme/*/prod'], ['update']), rootLists: lists(['acme/net*/*']) }),
    ).toBe(true);
  });

  it.each<[string, Admission, RegExp]>([
    ['another stack', lists(['acme/*/dev']), /: allowed_stacks \(acme\/\*\/dev\) does not allow it\. /],
    [
      'another operation',
      lists([], ['preview', 'refresh']),
      /: allowed_operations \(preview refresh\) does not allow it\. /,
    ],
    [
      'what the machine’s file allows',
      { ...lists(['acme/*/*']), rootLists: lists(['acme/*/dev']) },
      /\(acme\/\*\/dev\)/,
    ],
  ])('is refused outside of the lists: %s', (_, admission, message) => {
    expect(() => admit(PROD, admission)).toThrow(
      expect.objectContaining({
        outcome: 'refused',
        code: 'PRA-JOB-08',
        message: expect.stringMatching(message),
      }),
    );
    expect(() => admit(PROD, admission)).toThrow(
      'Failed to admit acme/network/prod · update · #7 for this runner: ',
    );
  });

  it('is refused where a list is set and nothing proves its name', () => {
    expect(() => admit({ ...PROD, proven: false }, lists(['acme/*/*']))).toThrow(
      /: allowed_stacks is set, and only its own variables name its stack\. Only a name from Pulumi Cloud counts: /,
    );
    expect(() => admit(undefined, lists([], ['update']), 'delivery')).toThrow(
      'Failed to admit this work for this runner: allowed_operations is set, and it is work of the kind "delivery".',
    );
    expect(() => admit(undefined, lists([], ['update']))).toThrow(
      /: allowed_operations is set, and nothing names its stack\. /,
    );
    expect(isAdmitted({ ...PROD, operation: undefined }, lists([], ['update']))).toBe(false);
  });
});

it('a further list never lets in what was refused', () => {
  const stacks = fc.subarray(['acme/*/*', 'acme/network/prod', 'acme/*/dev', 'acme/web/*', 'other/*/*']);
  const operations = fc.subarray(['update', 'preview', 'refresh']);
  const some = fc.record({ allowedStacks: stacks, allowedOperations: operations });
  const identity = fc.record({
    organization: fc.constantFrom('acme', 'other'),
    project: fc.constantFrom('network', 'web'),
    stack: fc.constantFrom('prod', 'dev'),
    operation: fc.constantFrom('update', 'preview', undefined),
    proven: fc.boolean(),
  });
  fc.assert(
    fc.property(some, some, identity, (own, rootLists, who) => {
      const both = isAdmitted(who, { ...own, rootLists });
      expect(both).toBe(isAdmitted(who, own) && isAdmitted(who, rootLists));
      if (rulesOf(own).length > 0) expect(isAdmitted({ ...who, proven: false }, own)).toBe(false);
    }),
  );
});
