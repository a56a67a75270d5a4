import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identityOfToken, identityOfVariables, kindOfVariables } from '../../../src/cloud/identity.ts';
import { claimSchema, jobDefinitionSchema } from '../../../src/cloud/job-wire.ts';
import { otherKindIn } from '../../../src/cloud/work-kind.ts';
import { runs } from '../../support/property-runs.ts';

const SERVICE = { serviceUrl: 'https://api.pulumi.com' };
const NAMES = { org: 'acme', project: 'network', stack: 'prod', operation: 'update', deployment: '7' };
const tokenWith = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

/** Text that isn't a deployment's kind. */
const otherKind = fc
  .oneof(
    fc.constantFrom('delivery', 'delivery_job', 'pipeline', 'insights_scan', 'deployments2'),
    fc.string(),
  )
  .filter((text) => text !== '' && otherKindIn({ kind: text }) !== undefined);
const SAFE = /^(?:\?|[A-Za-z][\w .:/-]{0,60})$/;

describe('work of any shape', () => {
  it('has no kind, or one that may be shown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.anything(), (json, anything) => {
        for (const value of [json, anything, { kind: json }, { __type: anything }]) {
          const kind = otherKindIn(value);
          expect(kind === undefined || SAFE.test(kind)).toBe(true);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('gets no stack and no operation from a token of another kind, whatever else that says', () => {
    const kinds = fc.string().filter((kind) => kind !== 'deploy' && !kind.includes(':'));
    fc.assert(
      fc.property(kinds, fc.dictionary(fc.string(), fc.jsonValue()), (kind, more) => {
        const oidcToken = tokenWith({ ...more, ...NAMES, sub: `pulumi:${kind}:org:acme:stack:prod` });
        expect(identityOfToken(oidcToken, SERVICE)).toBeUndefined();
        const claim = claimSchema.parse({ jobID: 'j', jobToken: 't', typeSpecificID: 'd', oidcToken });
        expect(claim.kind).toMatch(SAFE);
      }),
      { numRuns: runs(300) },
    );
  });

  it('keeps its kind beside whatever else a claim and a definition say', () => {
    const more = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(otherKind, more, more, (kind, claim, definition) => {
        const ids = {
          jobID: 'j',
          jobToken: 't',
          runID: 'r',
          typeSpecificID: 'd',
          oidcToken: '',
          deploymentID: '',
        };
        expect(claimSchema.parse({ ...claim, ...ids, kind }).kind).toMatch(SAFE);
        const read = jobDefinitionSchema.safeParse({ ...definition, steps: [{}], kind });
        if (read.success) expect(read.data.kind).toMatch(SAFE);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each<[value: string, secret: boolean, kind: string | undefined]>([
    ['Pulumi Deployments', false, undefined],
    ['Pulumi Delivery', false, 'Pulumi Delivery'],
    ['Pulumi Delivery', true, undefined],
    ['Jenkins', false, undefined],
    ['', false, undefined],
  ])('whose variables name the system %j (secret: %s) is of the kind %s', (value, secret, kind) => {
    expect(kindOfVariables({ PULUMI_CI_SYSTEM: { value, secret } })).toBe(kind);
  });

  it('that names no system is named by its variables as before', () => {
    const value = (text: string) => ({ value: text, secret: false });
    const variables = {
      PULUMI_CI_ORGANIZATION: value('acme'),
      PULUMI_CI_PROJECT: value('web'),
      PULUMI_CI_STACK: value('dev'),
    };
    expect(kindOfVariables(variables)).toBeUndefined();
    expect(identityOfVariables(variables, { service: SERVICE, deploymentId: 'd' })).toBeDefined();
  });
});
