import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // More than a worker per core: much of it is waiting.
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
          exclude: ['test/integration/kubernetes/**'],
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/kubernetes.test.ts'],
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          // The cluster's own tests, and the bundle's with jobs as pods: the same code as above.
          name: 'kubernetes',
          include: [
            'test/integration/kubernetes/**/*.test.ts',
            ...['main-job', 'stopping', 'secrets', 'hostile', 'limits', 'kubernetes'].map(
              (name) => `test/e2e/${name}.test.ts`,
            ),
          ],
          sequence: { groupOrder: 3 },
          env: { E2E_TARGET: 'kubernetes' },
          testTimeout: 180_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
