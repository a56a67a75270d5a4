import { defineConfig } from 'vitest/config';

/** Tests with peers that Go compiles (Pulumi, OpenTofu, act, a Collector): the last that a bare machine can run. */
const PEERS = [
  'test/integration/agent/changed-resources.test.ts',
  'test/integration/telemetry/collector.test.ts',
  'test/integration/network/plugin-download.test.ts',
  'test/integration/interrupt/shells.test.ts',
  'test/integration/pulumi/cli.test.ts',
  'test/integration/deployments/pulumi-cli.test.ts',
  'test/e2e/pulumi-cli.test.ts',
  'test/e2e/pictures.test.ts',
  'test/e2e/workflows.test.ts',
  'test/e2e/examples.test.ts',
];
/** Tests about the engine itself, which the oldest promised engine runs too. */
const ENGINE = [
  ...[
    'check',
    'endings',
    'environment-file',
    'job-network',
    'loss',
    'memory',
    'prepare',
    'pull',
    'step',
    'sweep',
  ].map((name) => `test/integration/docker/${name}.test.ts`),
  'test/integration/interrupt/once.test.ts',
  'test/e2e/limits.test.ts',
  'test/e2e/main-job.test.ts',
];
/** Tests that freeze the node or restart the API server, so no other test may use the cluster. */
const ALONE = ['node', 'connection'].map((name) => `test/integration/kubernetes/${name}.test.ts`);
// Time limits end a test that hangs. They are long, as a machine that compiles and runs a cluster too can be ten times slower.
const CLUSTER = { env: { E2E_TARGET: 'kubernetes' }, testTimeout: 300_000, hookTimeout: 600_000 };
const END_TO_END = { testTimeout: 240_000, hookTimeout: 240_000, maxWorkers: 2 };

export default defineConfig({
  test: {
    projects: [
      // More workers than cores: the tests mostly wait.
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: ['test/integration/kubernetes/**', ...PEERS],
          sequence: { groupOrder: 1 },
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/kubernetes.test.ts', 'test/e2e/pulumi-cli-pod.test.ts', ...PEERS],
          sequence: { groupOrder: 2 },
          ...END_TO_END,
        },
      },
      { test: { name: 'peers', include: PEERS, sequence: { groupOrder: 3 }, ...END_TO_END } },
      { test: { name: 'engine', include: ENGINE, sequence: { groupOrder: 4 }, ...END_TO_END } },
      {
        test: {
          // Apart from the others, as building cosign takes minutes.
          name: 'cosign',
          include: ['test/cosign/**/*.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 8 },
        },
      },
      {
        test: {
          // Apart from the others, as building Buildkite's agent takes minutes.
          name: 'buildkite',
          include: ['test/buildkite/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 9 },
        },
      },
      {
        test: {
          // Apart from the others, as building gVisor takes minutes.
          name: 'gvisor',
          include: ['test/gvisor/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          // The cluster's own tests, and some end-to-end tests with jobs as pods. Each file has its own namespace and
          // mostly waits.
          name: 'kubernetes',
          include: [
            'test/integration/kubernetes/**/*.test.ts',
            ...['main-job', 'stopping', 'secrets', 'limits', 'kubernetes', 'pulumi-cli-pod'].map(
              (name) => `test/e2e/${name}.test.ts`,
            ),
          ],
          exclude: ALONE,
          sequence: { groupOrder: 5 },
          maxWorkers: 2,
          ...CLUSTER,
        },
      },
      {
        test: {
          name: 'kubernetes-alone',
          include: ALONE,
          sequence: { groupOrder: 6 },
          fileParallelism: false,
          ...CLUSTER,
        },
      },
    ],
  },
});
