import { accessScope, stacks } from '../job-kinds.ts';
import { choice, durationOrZero, secret, wholeNumber } from '../kind.ts';
import type { KeyDefinition } from '../schema.ts';

/** Ours that say which deployments to start before waiting for work, and how many jobs to plan. */
export const TRIGGER_KEYS = {
  trigger: {
    kind: stacks,
    default: '',
    help: 'Stacks to start a deployment of, once, before waiting: org/project/stack; * stands for any name.',
  },
  operation: {
    kind: choice('update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'),
    unsetMeans: 'none: trigger needs one',
    help: 'What the started deployments do; destroy takes stacks that are named in full only.',
  },
  trigger_jitter: {
    kind: durationOrZero,
    default: '0s',
    help: 'Each deployment is started at a moment of its own within this time, by chance.',
  },
  access_token: {
    kind: secret,
    unsetMeans: 'the OIDC token is exchanged for one',
    help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
  },
  access_token_scope: {
    kind: accessScope,
    unsetMeans: "the organization's, without admin rights",
    help: 'Scope of the access token that OIDC is exchanged for: admin, team:<name> or user:<login>.',
  },
  plan_max: {
    kind: wholeNumber(1),
    default: '256',
    help: 'The most jobs that the command plan plans; GitHub takes 256 in a matrix.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
