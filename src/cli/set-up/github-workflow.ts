import type { Answers, Cloud } from './answers.ts';
import { scalar } from './pipelines.ts';

/** The action while no commit of it is released. */
export const UNRELEASED_ACTION = 'org/pulumi-runner-action@<commit>';

/** The steps that fetch keys, for clouds that trust GitHub's ID tokens. */
const KEY_STEPS: Readonly<Partial<Record<Cloud, string>>> = {
  aws: `      # Without AWS, or with Pulumi ESC, remove this step and the line env-forward-allowlist.
      - uses: aws-actions/configure-aws-credentials@e6de054238d6b7531b4efff3b6587d9aade6a06c # v6.2.3
        with:
          role-to-assume: <role ARN>
          aws-region: <region>
`,
  google: `      # With Pulumi ESC, remove this step, the line env-forward-allowlist, and env.
      - id: google
        uses: google-github-actions/auth@7c6bc770dae815cd3e89ee6cdf493a5fab2cc093 # v3.0.0
        with:
          workload_identity_provider: <provider>
          service_account: <service account>
          token_format: access_token
          create_credentials_file: false
`,
};

/** The time after which a deployment is interrupted, before its keys or the job end. */
const SOFT_TIMEOUTS: Readonly<Record<Cloud, string>> = {
  aws: '50m # interrupts the deployment gracefully before the AWS keys expire, after an hour',
  google: '50m # interrupts the deployment gracefully before the Google token expires, after an hour',
  azure: "80m # interrupts the deployment gracefully before the job's timeout",
  none: "80m # interrupts the deployment gracefully before the job's timeout",
};

const FORWARDED: Readonly<Partial<Record<Cloud, string>>> = {
  aws: 'AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN',
  google: 'GOOGLE_OAUTH_ACCESS_TOKEN',
};

/** Whether the workflow for a cloud forwards keys to deployments. */
export function forwardsKeys(cloud: Cloud): boolean {
  return FORWARDED[cloud] !== undefined;
}

/** The stacks that get keys, and the variables that hold these. */
const keyLines = (stacks: readonly string[], forwarded: string) =>
  `          allowed-stacks: ${stacks.join(' ')} # the stacks that get these keys: every stack of the organization can choose the pool
          env-forward-allowlist: ${forwarded}
`;

const GOOGLE_TOKEN = `        env:
          GOOGLE_OAUTH_ACCESS_TOKEN: \${{ steps.google.outputs.access_token }}
`;

/** The workflow of the README; for AWS its text, with the names of the organization and the pool. */
export function githubText({ organization, pool, stacks, cloud, environment, action }: Answers): string {
  const forwarded = FORWARDED[cloud];
  const isPlaceholder = action === UNRELEASED_ACTION;
  const signsIn = { aws: ', and to AWS', google: ', and to Google Cloud', azure: '', none: '' }[cloud];

  return `name: Pulumi deployments
on:
  # schedule: [{ cron: '7,22,37,52 * * * *' }] # the last step of the set-up
  workflow_dispatch:
    inputs:
      doctor: { type: boolean, default: false, description: 'Only check the set-up; claim nothing' }
      expected: { type: boolean, default: true, description: 'Fail if no deployment waits' }
  repository_dispatch: { types: [pulumi-deployment] } # from a webhook: docs/growth.md

permissions: {} # each job has its own

concurrency: # one run of each kind at a time: a scheduled run never cancels a manual one that waits
  group: pulumi-deployments-\${{ github.event_name }}
  cancel-in-progress: false # true would interrupt a running deployment

jobs:
  deploy:
    runs-on: [self-hosted, private-network] # Linux with Docker
${environment === undefined ? '' : `    environment: ${scalar(environment)}\n`}    timeout-minutes: 90 # the wait, the deployment, its reports
    permissions:
      id-token: write # signs in to Pulumi Cloud${signsIn}
      contents: read
    steps:
${KEY_STEPS[cloud] ?? ''}      - uses: ${action}${isPlaceholder ? " # v1.0.0; replace org with your copy's owner" : ''}
        with:
          organization: ${scalar(organization)}
          runner-pool-id: ${scalar(pool)}
          max-wait: 30s
          soft-timeout: ${SOFT_TIMEOUTS[cloud]}
          on-no-work: \${{ inputs.expected && 'fail' || 'succeed' }}
${forwarded === undefined ? '' : keyLines(stacks, forwarded)}          doctor: \${{ inputs.doctor || false }}
${cloud === 'google' ? GOOGLE_TOKEN : ''}`;
}
